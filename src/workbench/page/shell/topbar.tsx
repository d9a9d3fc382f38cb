/** The line above everything: search, what waits, policy, theme. */
import { openWindow } from '../commands.ts';
import { Button, Icon } from '../parts/elements.tsx';
import { linkTo } from '../route.ts';
import { hello, questions, recording, travelling } from '../store.ts';
import { isDark, setTheme } from '../theme.ts';

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

export function TopBar() {
  const waiting = questions.value.length;
  const policy = hello.value?.policy;
  return (
    <header class="topbar">
      <a class="brand" href={linkTo('servers')} aria-label="Mooring workbench, servers">
        <Icon name="mooring" />
        <span>Mooring</span>
      </a>
      <button
        class="find"
        type="button"
        onClick={() => {
          openWindow.value = 'palette';
        }}
      >
        <Icon name="search" />
        Search or run a command
        <kbd>{isMac ? '⌘ K' : 'Ctrl K'}</kbd>
      </button>
      {travelling.value !== undefined && (
        <a class="btn" data-kind="quiet" href={linkTo('travel')}>
          <Icon name="travel" />
          Recorded
        </a>
      )}
      {recording.value?.file !== undefined && (
        <a class="btn" data-kind="quiet" data-tone="bad" href={linkTo('travel')}>
          <Icon name="record" />
          Recording
        </a>
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
        <a class="btn" data-kind="quiet" href={linkTo('policy')}>
          <Icon name="policy" />
          Policy: {policy.name}
        </a>
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
