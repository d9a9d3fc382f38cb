/** Shown while the page is not connected: the process starts, was lost or ended, or this tab has no token. */
import { Icon } from '../parts/elements.tsx';
import { sentence } from '../parts/format.ts';
import type { ConnectionStage } from '../rpc.ts';
import { endedWhy, hello, stage } from '../store.ts';

const texts: Readonly<Partial<Record<ConnectionStage, readonly [symbol: string, title: string, text: string]>>> = {
  lost: [
    'working',
    'Reconnecting to the workbench',
    'The connection was lost. The page continues as soon as the workbench responds; check its terminal.',
  ],
  ended: [
    'skipped',
    'The workbench has stopped',
    'Start mooring workbench again with the same --port, and the page reconnects.',
  ],
  locked: [
    'lock',
    'This tab has no valid token',
    'Press Enter in the terminal that runs the workbench, and open the new URL. Each URL works once, within two minutes.',
  ],
};

export function ConnectionScreen() {
  const [symbol, title, text] = texts[stage.value] ?? [];
  if (symbol === undefined)
    return hello.value === undefined ? (
      <main class="gate-screen" aria-busy="true">
        <h1 class="sr">Mooring workbench</h1>
      </main>
    ) : null;
  if (hello.value !== undefined && stage.value !== 'locked')
    return (
      <div class="gate-bar" role="status" data-state={stage.value}>
        <Icon name={symbol} />
        <strong>{title}</strong>
        <span>
          {endedWhy.value !== '' && `${sentence(endedWhy.value)} `}
          {text}
        </span>
      </div>
    );
  return (
    <main class="gate-screen" data-state={stage.value}>
      <div class="nothing">
        <Icon name={symbol} />
        <h1>{title}</h1>
        <p>{text}</p>
      </div>
    </main>
  );
}
