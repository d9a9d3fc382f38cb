/** The dialog that lists the keyboard shortcuts. */
import { closeWindow, screenList } from '../commands.ts';
import { Dialog } from '../parts/dialog.tsx';

const keys: readonly (readonly [keys: string, does: string])[] = [
  ['Ctrl K', 'Search or run a command'],
  ['/', 'Filter this list'],
  ['j  k', 'Next row, previous row'],
  ['Enter', 'Open the row'],
  ['Ctrl Enter', 'Call, read, get, or send the answer'],
  ['c', 'Call the tool'],
  ['y', 'Copy as command line'],
  ['.', 'Pause or continue the timeline'],
  ['F6', 'Next area of the window'],
  ['Esc', 'Close the part opened last; never answers a question'],
  ['?', 'Keyboard shortcuts'],
];

export function Help() {
  return (
    <Dialog title="Keyboard shortcuts" onClose={closeWindow}>
      <div class="body keys">
        <dl class="pairs">
          {keys.map(([key, does]) => (
            <>
              <dt>
                <kbd>{key}</kbd>
              </dt>
              <dd>{does}</dd>
            </>
          ))}
        </dl>
        <dl class="pairs">
          {screenList.map(({ title, key }) => (
            <>
              <dt>
                <kbd>g {key}</kbd>
              </dt>
              <dd>{title}</dd>
            </>
          ))}
        </dl>
      </div>
    </Dialog>
  );
}
