import { expect, test } from 'vitest';
import { connect } from '../../connect/index.ts';
import { createServer, tool } from '../../index.ts';
import type { Message } from '../../jsonrpc/message.ts';
import { systemClock } from '../../peer/clock.ts';
import { tapTransport } from '../../recording/tap.ts';
import { memoryTransport } from '../../transport/memory.ts';
import { messageLine } from './describe.ts';

/** The trace of a conversation in this revision, without times. */
async function linesOf(revision: string): Promise<string[]> {
  const hello = tool({ name: 'hello', run: () => 'Hello' });
  const server = createServer({ name: 'greeter', version: '2', parts: [hello] });
  const lines: string[] = [];
  const print = { style: (_: string, text: string): string => text };
  const onMessage: Parameters<typeof tapTransport>[1]['onMessage'] = (one) =>
    void lines.push(messageLine(one, print, 'stdout').replace(/ \d+ ms/, ''));
  const transport = tapTransport(memoryTransport(server), { clock: systemClock, onMessage });
  await using client = await connect(transport, { name: 'app', version: '1', revisions: [revision] });
  await client.call('hello');
  return lines;
}

test('initialize and server/discover are described in the same words', async () => {
  const opening = async (revision: string): Promise<string[]> =>
    (await linesOf(revision)).filter((line) => /initialize |discover/.test(line));
  const [asked, answered] = ['app 1, asks for', 'greeter 2, speaks'];
  expect(await opening('2025-11-25')).toEqual([
    `→ #1 initialize ${asked} 2025-11-25`,
    expect.stringMatching(new RegExp(`^← #1 initialize ${answered} 2025-11-25; [a-z, ]*tools`)),
  ]);
  expect(await opening('2026-07-28')).toEqual([
    `→ #1 server/discover ${asked} 2026-07-28`,
    expect.stringMatching(
      new RegExp(`^← #1 server/discover ${answered} 2026-07-28, 2025-11-25[\\d, -]*; [a-z, ]*tools`),
    ),
  ]);
});

const poisons = [JSON.parse('{"toString":1,"valueOf":1}'), Object.create(null), [Object.create(null)], '\ud800', null];

test.each<[string, object]>([
  ['notifications/message', { level: 'info', data: 'x' }],
  ['notifications/progress', { progress: 1, total: 2, message: 'x' }],
  ['initialize', { protocolVersion: '2025-11-25', clientInfo: { name: 'a', version: '1' } }],
  ['tools/call', { name: 'x', arguments: {} }],
  ['prompts/get', { name: 'x' }],
])('whatever a peer puts into the members of %s is a line', (method, params) => {
  const print = { style: (_: string, text: string): string => text };
  for (const member of Object.keys(params))
    for (const poison of poisons) {
      const message = { jsonrpc: '2.0', id: 1, method, params: { ...params, [member]: poison } } as const;
      expect(messageLine({ side: '<', message }, print, 'stdout')).toContain(method);
    }
});

test.each<[string, object]>([
  ['initialize', { protocolVersion: '2025-11-25', serverInfo: { name: 'a', version: '1' } }],
  ['server/discover', { supportedVersions: ['2026-07-28'] }],
  ['tools/list', { tools: [{ name: 'x' }] }],
  ['tools/call', { content: [{ type: 'text' }] }],
])('whatever a server puts into the result of %s is a line', (method, result) => {
  const print = { style: (_: string, text: string): string => text };
  const answers = { request: { jsonrpc: '2.0', id: 1, method }, ms: 1 } as const;
  const replaced = (poison: unknown): object =>
    JSON.parse(JSON.stringify(result), (key, value: unknown) =>
      typeof value === 'string' && key !== '' ? poison : value,
    ) as object; // masking keeps objects
  for (const poison of poisons) {
    const message = { jsonrpc: '2.0', id: 1, result: { ...replaced(poison) } } as const;
    expect(messageLine({ side: '<', message, answers }, print, 'stdout')).toContain(method);
  }
});

test.each<[string, object, string]>([
  [
    'the reason of a cancellation',
    { method: 'notifications/cancelled', params: { requestId: 7, reason: 'late' } },
    '← notifications/cancelled request 7 late',
  ],
  [
    'the message of a question',
    { id: 1, method: 'elicitation/create', params: { message: 'Sure?' } },
    '← #1 elicitation/create Sure?',
  ],
  [
    'a tool that failed',
    { id: 1, result: { content: [{ type: 'text', text: 'no\nstock' }], isError: true } },
    '← #1 failed: no stock',
  ],
  ['an empty result', { id: 1, result: {} }, '← #1 ok'],
  ['an error', { id: 1, error: { code: -32602, message: 'no such tool' } }, '← #1 error -32602 no such tool'],
])('%s is on the line', (_, message, line) => {
  const print = { style: (_color: string, text: string): string => text };
  expect(messageLine({ side: '<', message: { jsonrpc: '2.0', ...message } as Message }, print, 'stdout')).toBe(line);
});
