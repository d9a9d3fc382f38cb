/** Prints changes of a server, and connection losses, for `mooring watch`. */
import type { Client, ConnectionState, Watch } from '../../client/index.ts';
import { McpError } from '../../errors.ts';
import { isRequest, type JsonObject } from '../../jsonrpc/message.ts';
import type { Change, ChangeFilter } from '../../model/change.ts';
import { LISTEN } from '../../model/names.ts';
import { printable, printableIndented } from '../../model/printable.ts';
import type { Layer, Transport } from '../../peer/exchange.ts';
import { layerTransport } from '../../peer/layer-transport.ts';
import type { CommandContext } from '../command.ts';
import { changesIn, listKinds, namesIn, type OfferChange } from '../dev/changes.ts';
import { errorText } from '../error-text.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { type ListFailure, listOrFail } from '../offer.ts';

export class Watching {
  readonly #by: CommandContext;
  readonly #abort: AbortController = new AbortController();
  #lost = false;

  constructor(by: CommandContext) {
    this.#by = by;
  }

  /** Follows these resources; without any, the lists. */
  async run(client: Client, uris: readonly string[]): Promise<ExitCode | undefined> {
    const { shell } = this.#by;
    const signal = AbortSignal.any([shell.signal, this.#abort.signal]);
    const stopListening = client.onState((state) => this.reportState(state));
    const offer = new OfferChanges(client, signal);
    try {
      // Reads the lists first, so that the first change can be named.
      if (uris.length === 0) for (const kind of listKinds) await offer.since(kind);
      const lists = { tools: true, prompts: true, resources: true };
      const watch = client.watch(uris.length === 0 ? lists : { resources: uris }, { signal });
      const granted = watch.granted.then(
        (filter) => this.#printGranted(filter),
        // #follow reports why a watch was rejected.
        () => undefined,
      );
      await Promise.all([granted, this.#follow(watch, offer)]);
    } finally {
      this.#abort.abort();
      stopListening();
    }
    return shell.signal.aborted ? exitCodes.interrupted : undefined;
  }

  #printGranted(filter: ChangeFilter): void {
    const lists = listKinds.filter((kind) => filter[`${kind}ListChanged`] === true);
    const named = [...lists, ...(filter.resourceSubscriptions ?? [])];
    if (named.length === 0)
      throw new McpError('MCP_NOT_OFFERED', {
        what: 'notifications of the changes you named',
        capability: 'listChanged or subscribe',
      });
    this.#by.print.note(`Watching ${printable(named.join(', '))} (press Ctrl-C to stop)`);
  }

  async #follow(watch: Watch, offer: OfferChanges): Promise<void> {
    for await (const change of watch) {
      if (this.#abort.signal.aborted) return;
      await this.#printChange(change, offer);
    }
    if (!this.#abort.signal.aborted && !this.#by.shell.signal.aborted)
      throw new McpError('MCP_CLOSED', { why: 'the server ends each subscription as soon as it has begun' });
  }

  async #printChange(change: Change, offer: OfferChanges): Promise<void> {
    const { print } = this.#by;
    // A change arrived, so the connection is back.
    this.reportState('ready');
    const [time, at] = [this.#time(), this.#at().toISOString()];
    const difference = change.kind === 'resource' ? undefined : await offer.since(change.kind).catch(() => undefined);
    const what = change.kind === 'resource' ? printable(change.uri) : change.kind;
    const names = difference === undefined ? '' : `: ${namesIn(difference)}`;
    print.line(`${print.style('dim', time)}  ${what} changed${names}`);
    print.event({ event: 'changed', ...change, ...difference, at });
  }

  /** Prints only losses and recoveries of the connection. `reason` says why it was lost, if that is known. */
  reportState(state: ConnectionState, reason?: unknown): void {
    const { print } = this.#by;
    if (this.#abort.signal.aborted || !(state === 'lost' || (state === 'ready' && this.#lost))) return;
    if (state === 'lost' && this.#lost) return;
    this.#lost = state === 'lost';
    const why = reason === undefined ? '' : `\n  ${printableIndented(errorText(reason))}`;
    print.note(
      `${this.#time()}  ${this.#lost ? `The connection was lost; connecting again${why}` : 'Connected again'}`,
    );
    print.event({ event: this.#lost ? 'lost' : 'connected', at: this.#at().toISOString() });
  }

  #at(): Date {
    return new Date(this.#by.shell.clock.wall());
  }

  /** Local time: `14:05:09`. */
  #time(): string {
    return this.#at().toTimeString().slice(0, 8);
  }
}

type Kind = (typeof listKinds)[number];

/** Finds out what changed in a list, by comparing it with the previous one. */
class OfferChanges {
  readonly #client: Client;
  readonly #signal: AbortSignal;
  readonly #known: Map<Kind, readonly JsonObject[]> = new Map();

  constructor(client: Client, signal: AbortSignal) {
    this.#client = client;
    this.#signal = signal;
  }

  /** The difference to the last call. Undefined if there is none, if a list failed, or for the first call. */
  async since(kind: Kind): Promise<OfferChange | undefined> {
    const failed: ListFailure[] = [];
    const by = { failed, signal: this.#signal };
    const listed: readonly object[] = [
      ...(await listOrFail(this.#client, kind, by)),
      ...(kind === 'resources' ? await listOrFail(this.#client, 'templates', by) : []),
    ];
    if (failed.length > 0) return undefined;
    const [before, after] = [this.#known.get(kind), listed.map((item) => ({ ...item }))];
    this.#known.set(kind, after);
    return before && changesIn(kind, before, after);
  }
}

/** Calls `lost` with the error when a `subscriptions/listen` stream fails that was not cancelled: a stream can end while the connection stays open. */
export function reportStreamLoss(transport: Transport, lost: (error: unknown) => void): Transport {
  const layer: Layer = (next) => async (message, link) => {
    try {
      return await next(message, link);
    } catch (error) {
      if (isRequest(message) && message.method === LISTEN && !link.signal.aborted) lost(error);
      throw error;
    }
  };
  return layerTransport(transport, [layer]);
}
