/** What a layer hands on: a link with some of it replaced. */
import { expect, test } from 'vitest';
import { everyRevision, open, textOf } from '../../test/support/raw.ts';
import { httpHandler, type Layer, tool, use } from '../index.ts';
import { notification, type RpcRequest, type RpcResponse, request, success } from '../jsonrpc/message.ts';
import { createServer } from '../server/index.ts';
import { Abort } from './abort.ts';
import { type Link, linkWith } from './exchange.ts';

/** As the links of transports are: everything on the prototype, behind private members. */
class TransportLink implements Link {
  readonly #abort = new Abort();
  readonly told: string[] = [];
  get signal(): AbortSignal {
    return this.#abort.signal;
  }
  get auth(): { clientId: string; scopes: string[]; token: string } {
    return { clientId: 'ada', scopes: [], token: 't' };
  }
  onAbort(listener: (reason: unknown) => void): void {
    this.#abort.onAbort(listener);
  }
  notify({ method }: { method: string }): void {
    this.told.push(method);
  }
  ask({ id }: RpcRequest): Promise<RpcResponse> {
    return Promise.resolve(success(id, { of: this.told.length }));
  }
  cancel(reason: unknown): void {
    this.#abort.abort(reason);
  }
}

test('a link keeps everything that was not replaced', async () => {
  const link = new TransportLink();
  const heard: unknown[] = [];
  const same = linkWith(link, { notify: ({ method }) => void heard.push(method) });
  same.notify(notification('n'));
  expect([heard, link.told]).toEqual([['n'], []]);
  expect(await same.ask(request(1, 'q'))).toMatchObject({ id: 1, result: { of: 0 } });
  expect(same.auth?.clientId).toBe('ada');
  expect(same.release).toBeUndefined();
  same.onAbort?.((reason) => heard.push(reason));
  link.cancel('gone');
  expect(same.signal.reason).toBe('gone');
  expect(heard).toEqual(['n', 'gone']);
});

test('a link with another signal, caller or way to ask uses those', async () => {
  const link = new TransportLink();
  const heard: unknown[] = [];
  const own = new AbortController();
  const release = (): void => void heard.push('released');
  const ask: Link['ask'] = () => Promise.reject(new Error('not asked'));
  const other = linkWith(link, { signal: own.signal, auth: undefined, ask, release });
  other.onAbort?.((reason) => heard.push(reason));
  link.cancel('not this one');
  own.abort('this one');
  expect(other.signal).toBe(own.signal);
  expect(other.auth).toBeUndefined();
  await expect(other.ask(request(1, 'q'))).rejects.toThrow('not asked');
  other.release?.();
  other.notify(notification('n'));
  expect([heard, link.told]).toEqual([['this one', 'released'], ['n']]);
});

test('spreading a link does not compile', () => {
  const layer: Layer = (next) => (message, link) => {
    const notify = (): void => undefined;
    // @ts-expect-error a spread loses the methods of a link
    return next(message, { ...link, notify });
  };
  expect(layer).toBeTypeOf('function');
});

const chatty = tool({
  name: 'chatty',
  run: async (_, ctx) => {
    ctx.progress(1);
    const [root] = await ctx.roots();
    return `${root?.uri} ${ctx.signal.aborted}`;
  },
});

test.each(everyRevision)(
  'a layer may replace notify, and handlers still ask and see their signal, in %s',
  async (revision) => {
    const heard: string[] = [];
    const counting: Layer = (next) => (message, link) => {
      const notify: Link['notify'] = (one) => {
        heard.push(one.method);
        link.notify(one);
      };
      return next(message, linkWith(link, { notify }));
    };
    const server = use(
      createServer({ name: 's', version: '1', parts: [chatty], onWarning: () => undefined }),
      counting,
    );
    const raw = await open(server, {
      revision,
      capabilities: { roots: {} },
      answer: () => ({ roots: [{ uri: 'file:///a' }] }),
    });
    const result = await raw.complete('tools/call', { name: 'chatty', _meta: { progressToken: 1 } });
    expect(textOf(result)).toBe('file:///a false');
    expect(new Set(heard)).toEqual(new Set(['notifications/progress']));
    expect(raw.heard.length).toBe(heard.length);
  },
);

test('a layer may replace notify over HTTP', async () => {
  const quiet: Layer = (next) => (message, link) => next(message, linkWith(link, { notify: () => undefined }));
  const plain = tool({ name: 'plain', run: (_, ctx) => `${ctx.signal.aborted}` });
  const handler = httpHandler(use(createServer({ name: 's', version: '1', parts: [plain] }), quiet));
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'c', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const body = JSON.stringify(request(1, 'tools/call', { name: 'plain', arguments: {}, _meta }));
  const headers = {
    Host: 'localhost',
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    'MCP-Protocol-Version': '2026-07-28',
    'Mcp-Method': 'tools/call',
    'Mcp-Name': 'plain',
  };
  const response = await handler(new Request('http://localhost/mcp', { method: 'POST', headers, body }));
  expect(await response.json()).toMatchObject({ result: { content: [{ text: 'false' }] } });
});
