/** The top bar: search, recording state, open questions, policy, theme. */
import { showWindow } from '../commands.ts';
import { Button, Icon, isMac, LinkButton } from '../parts/elements.tsx';
import { linkTo } from '../route.ts';
import { hello, questions, recording, travelling } from '../store.ts';
import { isDark, setTheme } from '../theme.ts';

export function TopBar() {
  const waiting = questions.value.length;
  const policy = hello.value?.policy;
  return (
    <header class="topbar">
      <a class="brand" href={linkTo('servers')} aria-label="Mooring workbench, servers">
        <Icon name="mooring" />
        <span>Mooring</span>
      </a>
      <button class="find" type="button" onClick={showWindow('palette')}>
        <Icon name="search" />
        <span>Search or run a command</span>
        <kbd>{isMac ? '⌘ K' : 'Ctrl K'}</kbd>
      </button>
      {travelling.value !== undefined && (
        <LinkButton kind="quiet" symbol="travel" to={['travel']} text="Recording open" />
      )}
      {recording.value?.file !== undefined && (
        <LinkButton kind="quiet" tone="bad" symbol="record" to={['travel']} text="Recording" />
      )}
      {waiting > 0 && (
        <a
          class="btn"
          data-kind="quiet"
          data-tone="warn"
          href="#asked"
          onClick={(event) => {
            event.preventDefault();
            document.querySelector<HTMLElement>('.asked :is(input, textarea, select, button)')?.focus();
          }}
        >
          <Icon name="asks" />
          {waiting} waiting
        </a>
      )}
      {policy !== undefined && (
        <LinkButton kind="quiet" symbol="policy" to={['policy']}>
          Policy: {policy.name}
        </LinkButton>
      )}
      <Button
        kind="quiet"
        symbol="theme"
        name={isDark() ? 'Use the light theme' : 'Use the dark theme'}
        onClick={() => setTheme(isDark() ? 'light' : 'dark')}
      />
    </header>
  );
}
