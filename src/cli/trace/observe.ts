/** Runs a conversation for `trace` and `record`: as a proxy if a client is on stdin, otherwise with our own client. */
import type { Client } from '../../client/index.ts';
import type { Masks } from '../../model/secrets.ts';
import type { Connection, Transport } from '../../peer/exchange.ts';
import { Deferred, onAbort, waitForAbort } from '../../peer/wait.ts';
import { type HttpTraceSink, tapFetch } from '../../recording/http-tap.ts';
import { type MessageListener, tapTransport } from '../../recording/tap.ts';
import { PipeConversation } from '../../transport/pipe-conversation.ts';
import { type ListFailure, listOrFail, reportListFailures } from '../offer.ts';
import type { Shell } from '../shell.ts';
import { type ApprovedTarget, approveTarget, openApproved } from '../target/connect-target.ts';
import type { TargetContext } from '../target/options.ts';
import type { CommandTarget } from '../target/target.ts';
import { proxyTo } from './proxy.ts';

export interface TraceListener
  extends Pick<MessageListener, 'onMessage'>,
    Partial<Pick<HttpTraceSink, 'onHttp'>>,
    AsyncDisposable {}

/** True if stdin is not a terminal, so an MCP client uses this process as its server. */
export const hasClientOnStdin = ({ stdin }: Shell): boolean => stdin.isTTY !== true;

/** Why there is nothing to print or to record, and what to do. */
export const noClient =
  'no client wrote to standard input. Put this command into the configuration of an application, or run it in a terminal.';

/**
 * Resolves when the conversation ends or is cancelled. `listen` is called after consent and before the first message, with the
 * secrets to mask.
 */
export async function observe(
  target: CommandTarget,
  by: TargetContext,
  listen: (masks: Masks) => Promise<TraceListener>,
): Promise<void> {
  const { source } = target;
  const { clock } = by.shell;
  let onHttp: TraceListener['onHttp'];
  const fetch = tapFetch({ clock, onHttp: (one) => onHttp?.(one) });
  const approved = await approveTarget('url' in source ? { ...target, source: { ...source, fetch } } : target, by);
  maskVariables(target, approved.masks);
  await using listener = await listen(approved.masks);
  onHttp = (one) => listener.onHttp?.(one);
  const tap: MessageListener = { clock, onMessage: (one) => listener.onMessage(one) };
  if (hasClientOnStdin(by.shell)) await asProxy(approved, by, tap);
  else await asClient(approved, by, tap);
}

/** Masks all values of `--env`, whatever their names: they are for the server, not for readers of the recording. */
function maskVariables({ source }: CommandTarget, masks: Masks): void {
  if (!('env' in source)) return;
  for (const value of Object.values(source.env ?? {})) if (typeof value === 'string') masks.add(value);
}

/** In `echo … | mooring record …`, stdin ends at once, but a server started by npx can take long to respond. */
const DRAIN_MS = 30_000;

/** Forwards messages between the client on stdin and the server. */
async function asProxy({ plan }: ApprovedTarget, { shell }: TargetContext, tap: MessageListener): Promise<void> {
  const proxy = proxyTo(tapTransport(plan.transport, tap));
  const streams = { input: shell.stdin, output: shell.stdout };
  const conversation = new PipeConversation(proxy, streams, { clock: shell.clock, drainMs: DRAIN_MS });
  let lost: Error | undefined;
  void proxy.closed.then((reason) => {
    lost = reason;
  });
  onAbort(shell.signal, () => conversation.end('it was interrupted'));
  await conversation.ended;
  // Read before close(): a server that exits after the client disconnected is not an error.
  const reason = lost;
  await proxy.close();
  if (reason !== undefined) throw reason;
}

/** Lists everything with our own client, then waits for changes. */
async function asClient(
  approved: ApprovedTarget,
  { shell, print }: TargetContext,
  tap: MessageListener,
): Promise<void> {
  const lost = new Deferred<never>();
  // Rejected even if nothing waits for it at that moment.
  lost.promise.catch(() => undefined);
  const open = (transport: Transport): Transport => watchLoss(tapTransport(transport, tap), lost.reject);
  await using client = await openApproved(approved, open);
  const failed = await Promise.race([listAll(client, shell), lost.promise]);
  reportListFailures(failed, { print });
  print.note(
    `${failed.length === 0 ? 'Listed everything' : 'Listed everything else'}. Waiting for messages from the server (press Ctrl-C to stop)`,
  );
  const watch = client.watch({ tools: true, prompts: true, resources: true }, { signal: shell.signal });
  void readToEnd(watch);
  await Promise.race([lost.promise, waitForAbort(shell.signal)]);
}

/** Calls `lost` with the reason when the server closes the current connection. */
function watchLoss(transport: Transport, lost: (reason: Error) => void): Transport {
  let current: Connection | undefined;
  return async (inbound, session) => {
    const connection = await transport(inbound, session);
    current = connection;
    void connection.closed.then((reason) => {
      if (reason !== undefined && current === connection) lost(reason);
    });
    return connection;
  };
}

/** Sequential, so that each response follows its request in the trace. */
async function listAll(client: Client, { signal }: Shell): Promise<readonly ListFailure[]> {
  const failed: ListFailure[] = [];
  for (const kind of ['tools', 'resources', 'templates', 'prompts'] as const)
    await listOrFail(client, kind, { failed, signal });
  return failed;
}

/** Consumes the changes: the tap prints the messages. */
async function readToEnd(changes: AsyncIterable<unknown>): Promise<void> {
  try {
    for await (const _ of changes);
  } catch {
    // The tap printed the error response.
  }
}
