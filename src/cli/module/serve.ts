/** Serves over stdio or HTTP, until the client disconnects or Ctrl-C. */
import type { Servable } from '../../peer/exchange.ts';
import { waitForAbort } from '../../peer/wait.ts';
import { listenFault } from '../arguments.ts';
import type { CommandContext } from '../command.ts';
import type { Shell } from '../shell.ts';

export interface ListenAddress {
  readonly port: number;
  readonly host: string;
  readonly path: string;
}

/** Explains stdio to a user who started the command in a terminal. */
export function explainStdio({ shell, print }: CommandContext, argument: string): void {
  if (shell.stdin.isTTY !== true) return;
  print.note('Serving on standard input and output, which is for a client that starts this command.');
  print.note(`To look at it yourself: \`mooring list ${argument}\`. To serve over HTTP: --http. Press Ctrl-C to stop.`);
}

export async function serveOnStdio(server: Servable, shell: Shell): Promise<void> {
  const { serveStdio } = await import('../../transport/stdio.ts');
  // Without explicit streams, serveStdio also handles signals, stray writes to stdout, and a parent that exits.
  const streams = shell.leave === undefined ? { input: shell.stdin, output: shell.stdout } : {};
  void waitForAbort(shell.signal).then(() => shell.stdin.destroy());
  await serveStdio(server, { clock: shell.clock, ...streams });
}

/** Prints the URL and calls `onListening` once it listens. */
export async function serveOnHttp(
  server: Servable,
  place: ListenAddress,
  { shell, print }: CommandContext,
  onListening?: () => void,
): Promise<void> {
  const { serveHttp } = await import('../../transport/node.ts');
  const listener = await serveHttp(server, { ...place, clock: shell.clock }).catch((thrown: unknown) => {
    throw listenFault(thrown, `--http ${place.port}`, 'give another port, or 0 for a free one');
  });
  print.note(`Serving at ${print.style('cyan', listener.url, 'stderr')} (press Ctrl-C to stop)`);
  print.event({ event: 'listening', url: listener.url });
  onListening?.();
  await waitForAbort(shell.signal);
  await listener.close();
}
