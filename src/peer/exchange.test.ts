/** `linkWith`: links with replaced members, as layers pass them on. */
import { expect, test } from 'vitest';
import { everyRevision, open, textOf } from '../../test/support/raw.ts';
import { createServer, httpHandler, type Layer, tool, use } from '../index.ts';
import { notification, request, success } from '../jsonrpc/message.ts';
import { CallLink, type LinkChannel } from './call-link.ts';
import { type Link, linkWith } from './exchange.ts';

/** A link like those of transports, with methods on the prototype and private fields. */
const transportLink = (): { link: CallLink; told: string[] } => {
  const told: string[] = [];
  const channel: LinkChannel = {
    send: ({ method }) => void told.push(method),
    ask: ({ id }) => Promise.resolve(success(id, { of: told.length })),
  };
  const asked = request(9, 'tools/call');
  const auth = { clientId: 'ada', scopes: [], token: 't' };
  const facts = { auth, revision: '2026-07-28', checked: asked, caller: { capabilities: {} } };
  return { told, link: new CallLink(asked, channel, facts) };
};

test('a link keeps the members that were not replaced', async () => {
  const { link, told } = transportLink();
  const heard: unknown[] = [];
  const same = linkWith(link, { notify: ({ method }) => void heard.push(method) });
  same.notify(notification('n'));
  expect([heard, told]).toEqual([['n'], []]);
  expect(await same.ask(request(1, 'q'))).toMatchObject({ id: 1, result: { of: 0 } });
  expect(same.auth?.clientId).toBe('ada');
  expect(same.release).toBeUndefined();
  const { revision, checked, caller } = link;
  expect(same).toMatchObject({ revision, checked, caller });
  expect(revision).toBe('2026-07-28');
  same.onAbort?.((reason) => heard.push(reason));
  link.cancel('gone');
  expect(same.signal.reason).toBe('gone');
  expect(heard).toEqual(['n', 'gone']);
});

test('a link with a replaced signal, caller or ask method uses the replacement', async () => {
  const { link, told } = transportLink();
  const heard: unknown[] = [];
  const own = new AbortController();
  const release = (): void => void heard.push('released');
  const ask: Link['ask'] = () => Promise.reject(new Error('not asked'));
  const other = linkWith(link, { signal: own.signal, auth: undefined, ask, release });
  other.onAbort?.((reason) => heard.push(reason));
  other.notify(notification('n'));
  link.cancel('not this one');
  own.abort('this one');
  expect(other.signal).toBe(own.signal);
  expect(other.auth).toBeUndefined();
  // The transport checked the scopes of the replaced identity.
  expect(other.checked).toBeUndefined();
  expect(linkWith(link, { revision: undefined, caller: undefined })).toMatchObject({
    revision: undefined,
    caller: undefined,
    checked: link.checked,
  });
  await expect(other.ask(request(1, 'q'))).rejects.toThrow('not asked');
  other.release?.();
  expect([heard, told]).toEqual([['this one', 'released'], ['n']]);
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
