/** A conversation with a target that is traced or recorded: of a client at the other end of standard input, or of our own. */
import type { Client } from '../../client/index.ts';
import type { Masks } from '../../model/secrets.ts';
import type { Connection, Transport } from '../../peer/exchange.ts';
import { Deferred, onAbort, waitForAbort } from '../../peer/wait.ts';
import { type HttpTraceSink, tapFetch } from '../../recording/http-tap.ts';
import { type MessageListener, tapTransport } from '../../recording/tap.ts';
import { PipeConversation } from '../../transport/pipe-conversation.ts';
import { type ListFailure, listOrFail, tellFailures } from '../offer.ts';
import type { Shell } from '../shell.ts';
import { type ApprovedTarget, approveTarget, openApproved } from '../target/connect-target.ts';
import type { TargetContext } from '../target/options.ts';
import type { CommandTarget } from '../target/target.ts';
import { proxyTo } from './proxy.ts';

export interface TraceListener
  extends Pick<MessageListener, 'onMessage'>,
    Partial<Pick<HttpTraceSink, 'onHttp'>>,
    AsyncDisposable {}

/** Whether a client is at the other end of standard input, and not a person. */
export const hasClientOnStdin = ({ stdin }: Shell): boolean => stdin.isTTY !== true;

/**
 * Resolves when the conversation has ended, or when it is cancelled. `listen` is called when everything has been agreed to and before
 * anything is said, with what must not be written down.
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
  hide(target, approved.masks);
  await using listener = await listen(approved.masks);
  onHttp = (one) => listener.onHttp?.(one);
  const tap: MessageListener = { clock, onMessage: (one) => listener.onMessage(one) };
  if (hasClientOnStdin(by.shell)) await asProxy(approved, by, tap);
  else await asClient(approved, by, tap);
}

/** What was typed for a command with `--env`: whatever it is called, it is given to the server and not to readers of the recording. */
function hide({ source }: CommandTarget, masks: Masks): void {
  if (!('env' in source)) return;
  for (const value of Object.values(source.env ?? {})) if (typeof value === 'string') masks.add(value);
}

/** A server that a package manager starts answers long after its client wrote and ended, as in `echo … | mooring record …`. */
const DRAIN_MS = 30_000;

/** We are a server for the client that started us. */
async function asProxy({ plan }: ApprovedTarget, { shell }: TargetContext, tap: MessageListener): Promise<void> {
  const proxy = proxyTo(tapTransport(plan.transport, tap));
  const streams = { input: shell.stdin, output: shell.stdout };
  const conversation = new PipeConversation(proxy, streams, { clock: shell.clock, drainMs: DRAIN_MS });
  let lost: Error | undefined;
  void proxy.gone.then((reason) => {
    lost = reason;
  });
  onAbort(shell.signal, () => conversation.end('it was interrupted'));
  await conversation.ended;
  // A server that ends after its client is not lost.
  const reason = lost;
  await proxy.close();
  if (reason !== undefined) throw reason;
}

/** We are the client: everything is listed, and then changes are waited for. */
async function asClient(reached: ApprovedTarget, { shell, print }: TargetContext, tap: MessageListener): Promise<void> {
  const lost = new ConnectionLoss();
  await using client = await openApproved(reached, (transport) => lost.watch(tapTransport(transport, tap)));
  const failed = await Promise.race([listAll(client, shell), lost.reason]);
  tellFailures(failed, { print });
  print.note(
    `${failed.length === 0 ? 'Everything is listed' : 'Everything else is listed'}. Messages from the server are shown as they arrive. Press Ctrl-C to stop.`,
  );
  const watch = client.watch({ tools: true, prompts: true, resources: true }, { signal: shell.signal });
  void readToEnd(watch);
  await Promise.race([lost.reason, waitForAbort(shell.signal)]);
}

/** Rejects when the line that is in use ends on the server's side. */
class ConnectionLoss {
  readonly #loss: Deferred<never> = new Deferred();
  readonly reason: Promise<never> = this.#loss.promise;
  #current: Connection | undefined;

  constructor() {
    this.reason.catch(() => undefined);
  }

  watch(transport: Transport): Transport {
    return async (inbound, session) => {
      const line = await transport(inbound, session);
      this.#current = line;
      void line.closed.then((reason) => {
        if (reason !== undefined && this.#current === line) this.#loss.reject(reason);
      });
      return line;
    };
  }
}

/** One after the other, so that requests and answers can be read in pairs. */
async function listAll(client: Client, { signal }: Shell): Promise<readonly ListFailure[]> {
  const failed: ListFailure[] = [];
  for (const kind of ['tools', 'resources', 'templates', 'prompts'] as const)
    await listOrFail(client, kind, { failed, signal });
  return failed;
}

/** The tap shows them; a server without any is watched all the same. */
async function readToEnd(changes: AsyncIterable<unknown>): Promise<void> {
  try {
    for await (const _ of changes);
  } catch {
    // Its answer was shown as it came.
  }
}
