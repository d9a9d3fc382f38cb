/** `mooring watch`: what changes at a server, as it happens. */
import type { Client, ConnectionState, Watch, WatchFilter } from '../../client/index.ts';
import { McpError } from '../../errors.ts';
import type { Change, ChangeFilter } from '../../model/change.ts';
import { printable } from '../../model/printable.ts';
import { isUri } from '../../model/uri-template.ts';
import type { Transport } from '../../peer/exchange.ts';
import { badArgument } from '../arguments.ts';
import { type CommandContext, command, flag } from '../command.ts';
import { kinds, namesIn } from '../dev/changes.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { connectTarget } from '../target/connect-target.ts';
import { targetOptions } from '../target/options.ts';
import { targetIn } from '../target/target.ts';
import { OfferChanges } from '../watch/offer-changes.ts';
import { reportStreamLoss } from '../watch/stream-loss.ts';

export const watch = command('watch', {
  usage: ['<target> [--tools] [--prompts] [--resources] [uri …]', '[uri …] [options] -- <command> [argument …]'],
  about: `Print changes of a server as they happen, until Ctrl-C.

Name URIs to subscribe to resources, and --tools, --prompts or --resources to follow a list. Without any, watch follows all three lists. Each line names what was added (+), removed (−) or changed (~). If the connection is lost, watch reconnects and reports what may have changed in between.`,
  options: {
    tools: flag('Follow the list of tools'),
    prompts: flag('Follow the list of prompts'),
    resources: flag('Follow the list of resources'),
    once: flag('Exit after the first change'),
    ...targetOptions,
  },
  examples: [
    ['mooring watch https://example.com/mcp'],
    ['mooring watch shop orders://A-1041 --json', 'one resource; one line of JSON per event'],
    ['mooring watch ./shop.ts --tools --once && npm test', 'wait for a change of the tools'],
  ],
  async run(input) {
    const { values, shell, print } = input;
    const { target, words } = await targetIn(input);
    const wrong = words.find((word) => !isUri(word));
    if (wrong !== undefined) throw badArgument(wrong, 'expected the URI of a resource');
    const watching = new Watching({ shell, print }, values.once === true);
    const around = (transport: Transport): Transport => reportStreamLoss(transport, () => watching.heard('lost'));
    await using client = await connectTarget(target, input, { around });
    return await watching.over(client, filtersOf(values, words));
  },
});

type Lists = Pick<WatchFilter, 'tools' | 'prompts'> & { readonly resources?: boolean };

/** The list of resources and the resources behind URIs are two wishes. */
function filtersOf(
  { tools = false, prompts = false, resources = false }: Lists,
  uris: readonly string[],
): WatchFilter[] {
  const some = tools || prompts || resources || uris.length > 0;
  const lists = some ? { tools, prompts, resources } : { tools: true, prompts: true, resources: true };
  return [
    ...(lists.tools || lists.prompts || lists.resources ? [lists] : []),
    ...(uris.length > 0 ? [{ resources: uris }] : []),
  ];
}

class Watching {
  readonly #by: CommandContext;
  readonly #once: boolean;
  readonly #over: AbortController = new AbortController();
  #lost = false;

  constructor(by: CommandContext, once: boolean) {
    this.#by = by;
    this.#once = once;
  }

  async over(client: Client, filters: readonly WatchFilter[]): Promise<ExitCode | undefined> {
    const { shell } = this.#by;
    const signal = AbortSignal.any([shell.signal, this.#over.signal]);
    const unhook = client.onState((state) => this.heard(state));
    const offer = new OfferChanges(client, signal);
    try {
      // Read before anything can change, so that the first change can be named.
      for (const kind of kinds) if (filters.some((filter) => filter[kind] === true)) await offer.read(kind);
      const watches = filters.map((filter) => client.watch(filter, { signal }));
      const granted = Promise.all(watches.map((one) => one.granted)).then(
        (all) => this.#granted(all),
        // The watch itself says why it was not granted, unless it is over.
        () => undefined,
      );
      await Promise.all([granted, ...watches.map((one) => this.#follow(one, offer))]);
    } finally {
      this.#over.abort();
      unhook();
    }
    return shell.signal.aborted ? exitCodes.interrupted : undefined;
  }

  #granted(all: readonly ChangeFilter[]): void {
    const named = [
      ...(all.some((one) => one.toolsListChanged === true) ? ['tools'] : []),
      ...(all.some((one) => one.promptsListChanged === true) ? ['prompts'] : []),
      ...(all.some((one) => one.resourcesListChanged === true) ? ['resources'] : []),
      ...all.flatMap((one) => one.resourceSubscriptions ?? []),
    ];
    if (named.length === 0)
      throw new McpError('MCP_NOT_OFFERED', { what: 'news of what you named', capability: 'listChanged or subscribe' });
    this.#by.print.note(`Watching ${printable(named.join(', '))} (press Ctrl-C to stop)`);
  }

  async #follow(news: Watch, offer: OfferChanges): Promise<void> {
    for await (const one of news) {
      if (this.#over.signal.aborted) return;
      await this.#tell(one, offer);
      if (this.#once) this.#over.abort();
    }
    if (!this.#over.signal.aborted && !this.#by.shell.signal.aborted)
      throw new McpError('MCP_CLOSED', { why: 'the server ends each subscription as soon as it has begun' });
  }

  async #tell(news: Change, offer: OfferChanges): Promise<void> {
    const { print } = this.#by;
    // There is no news without a way for it.
    this.heard('ready');
    const [time, at] = [this.#time(), this.#at().toISOString()];
    const change = news.kind === 'resource' ? undefined : await offer.since(news.kind).catch(() => undefined);
    const what = news.kind === 'resource' ? printable(news.uri) : news.kind;
    const names = change === undefined ? '' : `: ${namesIn(change)}`;
    print.line(`${print.style('dim', time)}  ${what} changed${names}`);
    print.event({ event: 'changed', ...news, ...change, at });
  }

  /** Of the connection, only what the user must know: that it was lost, and that it is back. */
  heard(state: ConnectionState): void {
    const { print } = this.#by;
    if (this.#over.signal.aborted || !(state === 'lost' || (state === 'ready' && this.#lost))) return;
    if (state === 'lost' && this.#lost) return;
    this.#lost = state === 'lost';
    print.note(`${this.#time()}  ${this.#lost ? 'The connection was lost; connecting again' : 'Connected again'}`);
    print.event({ event: this.#lost ? 'lost' : 'connected', at: this.#at().toISOString() });
  }

  #at(): Date {
    return new Date(this.#by.shell.clock.wall());
  }

  /** As a clock on the wall shows it. */
  #time(): string {
    return this.#at().toTimeString().slice(0, 8);
  }
}
