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
        title: 'Reconnecting to the workbench',
        text: 'The connection was lost. The page continues as soon as the workbench responds; check its terminal.',
      };
    case 'ended':
      return {
        symbol: 'skipped',
        title: 'The workbench has stopped',
        text: `${endedWhy.value === '' ? '' : `${sentence(endedWhy.value)} `}Start mooring workbench again with the same --port, and the page reconnects.`,
      };
    case 'locked':
      return {
        symbol: 'lock',
        title: 'This tab has no valid token',
        text: 'Press Enter in the terminal that runs the workbench, and open the new URL. Each URL works once, within two minutes.',
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
