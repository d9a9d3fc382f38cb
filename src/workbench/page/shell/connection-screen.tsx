/** Shown while the page is not connected: the process starts, was lost or ended, or this tab has no token. */
import { Icon } from '../parts/elements.tsx';
import { sentence } from '../parts/format.ts';
import { endedWhy, hello, stage } from '../store.ts';

interface ConnectionText {
  readonly symbol: string;
  readonly title: string;
  readonly text: string;
}

function connectionText(): ConnectionText | undefined {
  switch (stage.value) {
    case 'lost':
      return {
        symbol: 'working',
        title: 'Looking for the workbench',
        text: 'The connection was lost. This page comes back when the workbench responds.',
      };
    case 'ended':
      return {
        symbol: 'skipped',
        title: 'The workbench has ended',
        text: `${endedWhy.value === '' ? '' : `${sentence(endedWhy.value)} `}Start it again with the same --port, and this page comes back.`,
      };
    case 'locked':
      return {
        symbol: 'lock',
        title: 'This tab has no key',
        text: 'Open the URL that the terminal printed. It works once; “Copy a URL for another tab” in the palette makes a new one.',
      };
    default:
      return undefined;
  }
}

export function ConnectionScreen() {
  const shown = connectionText();
  if (shown === undefined)
    return hello.value === undefined ? (
      <main class="gate-screen" aria-busy="true">
        <h1 class="sr">Mooring workbench</h1>
      </main>
    ) : null;
  if (hello.value !== undefined && stage.value !== 'locked')
    return (
      <div class="gate-bar" role="status" data-state={stage.value}>
        <Icon name={shown.symbol} />
        <strong>{shown.title}</strong>
        <span>{shown.text}</span>
      </div>
    );
  return (
    <main class="gate-screen" data-state={stage.value}>
      <div class="nothing">
        <Icon name={shown.symbol} />
        <h1>{shown.title}</h1>
        <p>{shown.text}</p>
      </div>
    </main>
  );
}
