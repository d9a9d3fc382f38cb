/** Verbs that act on a server: call a tool, read and watch resources, complete arguments, get a prompt. */
import { messageOf, RpcError } from '../../errors.ts';
import type { ReadResult } from '../../host/index.ts';
import { isObject } from '../../jsonrpc/message.ts';
import { boolean, number, object, optional, type Shape, shape, string, strings } from '../../model/shape.ts';
import { untilAborted } from '../../peer/wait.ts';
import type { VerbParams } from '../protocol.ts';
import type { CallValue, ChangeRow, Outcome, WatchedResource } from '../protocol-rows.ts';
import { type VerbTable, verb } from '../rpc.ts';
import { runCall } from '../tool-calls.ts';
import type { Workbench } from '../workbench.ts';

const MAX_WATCHED = 100;
/** Beyond this, the oldest changes are removed. */
const MAX_CHANGES = 500;
/** Characters of a watched text. */
const MAX_TEXT = 100_000;

type CompletionRef = VerbParams<'complete'>['ref'];
const completionRef: Shape<CompletionRef> = (value, at) => {
  const { type, name, uri } = isObject(value) ? value : {};
  if (type === 'prompt') return string(name, `${at}.name`);
  return type === 'template' ? string(uri, `${at}.uri`) : `"${at}.type" must be prompt or template`;
};
const act = { server: string, ref: optional(string), deadlineMs: optional(number) } as const;

export function actVerbs(bench: Workbench): VerbTable {
  const { session, acts } = bench;
  const watches = new ResourceWatches(bench);
  const follow = bench.tasks.follow.bind(bench.tasks);
  return {
    call: verb(
      {
        ...{ ...act, tool: string, arguments: object },
        ...{ task: optional(boolean), meta: optional(object) },
      },
      (params) => acts.run(params, (options, ref) => runCall(bench, { params, ref, options, follow })),
    ),
    'call.outcome': verb({ ref: string }, async ({ ref }) => ({
      outcome: (await acts.outcome(ref)) as Outcome<CallValue> | undefined, // pages pass ids of calls
    })),
    cancel: verb({ ref: string }, ({ ref }) => ({ cancelled: acts.cancel(ref) })),
    read: verb({ ...act, uri: string }, (params) =>
      acts.run(params, async (options) => {
        const { contents, meta } = await session.read(params.server, params.uri, options);
        return bench.scrub(params.server, { contents, _meta: meta });
      }),
    ),
    prompt: verb({ ...act, prompt: string, arguments: strings }, (params) =>
      acts.run(params, async (options) => {
        const prompts = await untilAborted(session.catalogue.prompts(), options.signal);
        const found = prompts.find(
          ({ server, definition }) => server === params.server && definition.name === params.prompt,
        );
        const name = found?.name ?? `${params.server}.${params.prompt}`;
        const { messages, description } = await session.prompt(name, params.arguments, options);
        return bench.scrub(params.server, { messages, description });
      }),
    ),
    complete: verb(
      {
        ...{ server: string, ref: completionRef, context: optional(strings) },
        argument: shape<{ readonly name: string; readonly value: string }>({ name: string, value: string }),
      },
      async ({ server, ref, argument, context }) => {
        await bench.servers.ensureReady(server);
        const asked =
          ref.type === 'prompt' ? { type: 'ref/prompt', name: ref.name } : { type: 'ref/resource', uri: ref.uri };
        const options = { argument, ...(context === undefined ? {} : { context }) };
        const { values, total, hasMore } = await session.complete(
          server,
          asked as Parameters<typeof session.complete>[1],
          options,
        ); // a valid reference of either type
        return bench.scrub(server, { values, total, hasMore });
      },
    ),
    watch: verb({ server: string, uri: string, on: boolean }, async ({ server, uri, on }) => {
      await watches.set(server, uri, on);
      return { watched: watches.list() };
    }),
    'watch.changes': verb({}, () => ({ watched: watches.list(), changes: watches.changes })),
  };
}

/** Watched resources: reads each one again when its server reports an update, and records the change. */
class ResourceWatches {
  readonly #bench: Workbench;
  readonly #watched: Map<string, WatchedResource & { readonly control: AbortController }> = new Map();
  readonly changes: ChangeRow[] = [];

  constructor(bench: Workbench) {
    this.#bench = bench;
  }

  list(): WatchedResource[] {
    return [...this.#watched.values()].map(({ control: _, ...rest }) => rest);
  }

  async set(server: string, uri: string, on: boolean): Promise<void> {
    const key = JSON.stringify([server, uri]);
    const known = this.#watched.get(key);
    if (!on) known?.control.abort();
    if (!on) this.#watched.delete(key);
    if (!on || known !== undefined) return;
    if (this.#watched.size >= MAX_WATCHED)
      throw new RpcError(-32600, `${MAX_WATCHED} resources are watched, which is the maximum; stop watching one first`);
    const control = new AbortController();
    const end = (): void => {
      if (this.#watched.get(key)?.control === control) this.#watched.delete(key);
    };
    // Before the server is opened, so that the same resource is not watched twice, and watching can end meanwhile.
    this.#watched.set(key, { server, uri, control });
    try {
      await this.#bench.servers.ensureReady(server);
    } catch (error) {
      end();
      throw error;
    }
    if (!control.signal.aborted) void this.#follow(server, uri, control.signal).finally(end);
  }

  async #follow(server: string, uri: string, signal: AbortSignal): Promise<void> {
    try {
      let before = await this.#read(server, uri, signal);
      const connected = await this.#bench.host.servers.get(server)?.connect(signal);
      for await (const _ of connected?.watch({ resources: [uri] }, { signal }) ?? []) {
        const after = await this.#read(server, uri, signal);
        this.#addChange({ at: this.#bench.clock.wall(), server, uri, before, after });
        before = after;
      }
      throw new Error('the server ended the subscription');
    } catch (error) {
      const why = this.#bench.scrub(server, messageOf(error));
      if (!signal.aborted) this.#addChange({ at: this.#bench.clock.wall(), server, uri, error: why });
    }
  }

  #addChange(change: ChangeRow): void {
    this.changes.push(change);
    if (this.changes.length > MAX_CHANGES) this.changes.shift();
    this.#bench.feed.emit('changed', change);
  }

  async #read(server: string, uri: string, signal: AbortSignal): Promise<string> {
    const text = textOf(await this.#bench.session.read(server, uri, { signal }));
    return this.#bench.scrub(server, text).slice(0, MAX_TEXT);
  }
}

const textOf = ({ contents, text }: ReadResult): string =>
  text !== ''
    ? text
    : contents.map((one) => ('blob' in one ? `${one.blob.length} base64 characters` : one.text)).join('\n');
