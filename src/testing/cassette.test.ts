import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { type Overheard, tap } from '../../test/support/tap.ts';
import { connect } from '../connect/index.ts';
import { createServer, tool } from '../index.ts';
import type { JsonObject, Message } from '../jsonrpc/message.ts';
import { revisionIds } from '../revisions/index.ts';
import { memoryTransport } from '../transport/memory.ts';
import { cassette } from './cassette.ts';

const head = { cassette: 1, server: 'shop', at: '2026-01-02T03:04:05.000Z', mask: '[masked]' };
const text = (lines: readonly unknown[]): string =>
  [head, ...lines].map((line) => `${JSON.stringify(line)}\n`).join('');
const says = (side: '>' | '<', message: object): object => ({ side, ms: 0, message: { jsonrpc: '2.0', ...message } });

/** Serializes a conversation as a cassette. */
const recorded = (heard: readonly Overheard[]): string =>
  text(heard.map(({ side, message }) => ({ side, ms: 0, message })));

const shop = createServer({
  name: 'shop',
  version: '1.0.0',
  parts: [
    tool({
      name: 'refund',
      input: z.object({ order: z.string() }),
      async run({ order }, ctx) {
        ctx.progress(1, 2, 'half');
        return `Refunded ${order}`;
      },
    }),
    tool({ name: 'sure', run: async (_, ctx) => ((await ctx.confirm('sure', 'Sure?')) ? 'yes' : 'no') }),
  ],
});

describe.each(revisionIds)('a cassette recorded in %s', (revision) => {
  test('a cassette answers like the recorded server, with the ids and tokens of the client', async () => {
    const heard: Overheard[] = [];
    {
      await using client = await connect(tap(memoryTransport(shop), heard), { revisions: [revision] });
      await client.list('tools').all();
      await client.call('refund', { order: 'A1' }, { onProgress: () => undefined });
    }
    await using client = await connect(cassette(recorded(heard)), { revisions: [revision] });
    expect(client.server.info?.name).toBe('shop');
    expect((await client.list('tools').all()).map(({ name }) => name)).toEqual(['refund', 'sure']);
    const progress: number[] = [];
    const called = await client.call('refund', { order: 'A1' }, { onProgress: (one) => progress.push(one.progress) });
    expect([called.text, progress]).toEqual(['Refunded A1', [1]]);
    // No progress without a progress token.
    expect((await client.call('refund', { order: 'A1' })).text).toBe('Refunded A1');
    await expect(client.call('refund', { order: 'A2' })).rejects.toThrow(
      'tools/call was never recorded with these params; the nearest is {"name":"refund","arguments":{"order":"A1"}}, which differs at arguments.order',
    );
  });
});

test('a cassette asks the recorded questions, and continues as recorded', async () => {
  const heard: Overheard[] = [];
  const revisions = ['2025-06-18'];
  const elicit = () => ({ action: 'accept', content: { confirm: true } }) as const;
  {
    await using client = await connect(tap(memoryTransport(shop), heard), { revisions, elicit });
    await client.call('sure');
  }
  const asked: string[] = [];
  await using client = await connect(cassette(recorded(heard)), {
    revisions,
    elicit: ({ message }) => {
      asked.push(message);
      return { action: 'decline' };
    },
  });
  expect([(await client.call('sure')).text, asked]).toEqual(['yes', ['Sure?']]);
});

/** Sends requests to a server one after the other. */
async function conversation(server: ReturnType<typeof cassette>, asked: readonly JsonObject[]): Promise<unknown[]> {
  const told: unknown[] = [];
  const inbound = async (message: Message): Promise<undefined> => {
    told.push(message);
  };
  const line = await memoryTransport(server)(inbound, {});
  const link = {
    signal: new AbortController().signal,
    notify: (message: Message) => told.push(message),
    ask: () => Promise.reject(new Error('no')),
  };
  for (const message of asked) told.push(await line.exchange({ jsonrpc: '2.0', ...message } as Message, link as never));
  await new Promise((resolve) => setImmediate(resolve));
  await line.close();
  return told;
}

const ask = (id: number, method: string, params?: object): JsonObject => ({
  id,
  method,
  ...(params === undefined ? {} : { params }),
});

test('repeated requests get the recorded responses in order, and then the last one again', async () => {
  const tape = text([
    says('>', { id: 1, method: 'count' }),
    says('<', { id: 1, result: { n: 1 } }),
    says('<', { method: 'notifications/tools/list_changed' }),
    says('>', { id: 2, method: 'count' }),
    says('<', { id: 2, error: { code: 7, message: 'Full' } }),
  ]);
  expect(await conversation(cassette(tape), [ask(5, 'count'), ask(6, 'count'), ask(7, 'count')])).toMatchObject([
    { id: 5, result: { n: 1 } },
    { id: 6, error: { code: 7 } },
    { id: 7, error: { code: 7 } },
    { method: 'notifications/tools/list_changed' },
  ]);
});

test('a masked secret in the recording matches any value', async () => {
  const tape = text([
    says('>', {
      id: 1,
      method: 'login',
      params: { user: 'ada', password: '[masked]', url: 'https://[masked]@a.test/x' },
    }),
    says('<', { id: 1, result: {} }),
  ]);
  const login = (more: object): JsonObject =>
    ask(1, 'login', { user: 'ada', password: 'b', url: 'https://u:p@a.test/x', ...more });
  expect(await conversation(cassette(tape), [login({}), login({ password: 7 })])).toMatchObject([
    { result: {} },
    { result: {} },
  ]);
  for (const other of [{ user: 'bob' }, { url: 'http://u:p@a.test/x' }, { url: 'https://u:p@a.test/y' }, { extra: 1 }])
    expect(await conversation(cassette(tape), [login(other)])).toMatchObject([{ error: { code: -32602 } }]);
});

test('a method that was not recorded is rejected as unknown', async () => {
  const tape = text([says('>', { id: 1, method: 'ping' }), says('<', { id: 1, result: {} })]);
  expect(await conversation(cassette(tape), [ask(1, 'tools/list')])).toMatchObject([
    { error: { code: -32601, message: 'tools/list was never recorded; there are ping' } },
  ]);
});

test.each([
  ['', 'line 1: not JSON'],
  ['{}', 'line 1: expected {"cassette":1'],
  [text(['x']), 'line 2: expected a "side"'],
  [text([{ side: '>' }]), 'line 2: expected "ms"'],
  [text([{ side: '>', ms: 1, message: {} }]), 'line 2: "jsonrpc" must be "2.0"'],
  [`${text([])}{"side"`, 'line 2: not JSON'],
])('text that is not a cassette is rejected with the line: %j', (tape, why) => {
  expect(() => cassette(tape)).toThrow(why);
});
