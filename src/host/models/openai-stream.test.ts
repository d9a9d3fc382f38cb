import { expect, test } from 'vitest';
import type { JsonObject } from '../../jsonrpc/message.ts';
import { OpenaiStream } from './openai-stream.ts';

/** The tool calls in a reply of these chunks of calls. */
function callsIn(...chunks: readonly (readonly JsonObject[])[]): unknown {
  const stream = new OpenaiStream(undefined);
  for (const calls of chunks) stream.addChunk({ choices: [{ delta: { tool_calls: calls } }] });
  stream.addChunk({ choices: [{ delta: {}, finish_reason: 'tool_calls' }] });
  const reply = stream.reply('m');
  return typeof reply === 'string' ? reply : reply.content;
}

const begin = (id: string, name: string, args = ''): JsonObject => ({ id, function: { name, arguments: args } });
const more = (args: string): JsonObject => ({ function: { arguments: args } });
const both = [
  { type: 'tool_use', id: 'c1', name: 'weather', input: { at: 'Oslo' } },
  { type: 'tool_use', id: 'c2', name: 'now', input: {} },
];

test.each<[string, readonly (readonly JsonObject[])[]]>([
  [
    'an index for each',
    [
      [{ index: 0, ...begin('c1', 'weather') }],
      [{ index: 1, ...begin('c2', 'now') }],
      [{ index: 0, ...more('{"at":') }],
      [
        { index: 1, ...more('{}') },
        { index: 0, ...more('"Oslo"}') },
      ],
    ],
  ],
  ['no index', [[begin('c1', 'weather', '{"at":"Oslo"}')], [begin('c2', 'now', '{}')]]],
  ['no index, in one chunk', [[begin('c1', 'weather', '{"at":"Oslo"}'), begin('c2', 'now')]]],
  [
    'the index 0, in pieces',
    [
      [{ index: 0, ...begin('c1', 'weather') }],
      [{ index: 0, ...more('{"at":"Oslo"}') }],
      [{ index: 0, ...begin('c2', 'now') }],
      [{ index: 0, ...more('{}') }],
    ],
  ],
  [
    'an id in each chunk',
    [
      [begin('c1', 'weather', '{"at":')],
      [{ id: 'c1', ...more('"Oslo"}') }],
      [begin('c2', 'now')],
      [{ id: '', ...more('{}') }],
    ],
  ],
  [
    'another id in each chunk',
    [
      [{ index: 0, ...begin('c1', 'weather') }],
      [{ index: 0, id: 'r1', ...more('{"at":') }],
      [{ index: 0, id: 'r2', ...more('"Oslo"}') }],
      [{ index: 1, ...begin('c2', 'now') }],
      [{ index: 1, id: 'r3', ...more('{}') }],
    ],
  ],
])('two tool calls with %s are two calls', (_, chunks) => {
  expect(callsIn(...chunks)).toEqual(both);
});

test('a tool call without an id is a fault', () => {
  expect(callsIn([{ index: 0, ...more('{}') }])).toContain('it called a tool with arguments');
});
