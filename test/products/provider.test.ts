/** The scripted model follows its script in every provider API. */
import { expect, test } from 'vitest';
import { type Loose, type LooseValue, objects, textIn } from './provider/conversation.ts';
import { type ScriptedProvider, scriptedProvider } from './provider/provider.ts';
import { nextReply } from './provider/script.ts';

const tools = ['lots_draw_lot', 'lots_open_cellar', 'lots_greet_user'];
const made = (...calls: readonly (readonly [string, string])[]) => calls.map(([tool, result]) => ({ tool, result }));

test('the script draws, opens, waits for the new tool, uses it, asks, and quotes every result', () => {
  const first = made(['lots_draw_lot', 'Lot 1']);
  expect(nextReply({ tools, calls: [] })).toEqual({ tool: 'lots_draw_lot', input: { hat: 'blue' } });
  expect(nextReply({ tools, calls: first })).toEqual({ tool: 'lots_open_cellar', input: {} });
  const opened = [...first, ...made(['lots_open_cellar', 'Open'])];
  expect(nextReply({ tools, calls: opened })).toEqual({ tool: 'lots_draw_lot', input: { hat: 'blue' } });
  const more = [...tools, 'lots_cellar_lot'];
  expect(nextReply({ tools: more, calls: opened })).toEqual({ tool: 'lots_cellar_lot', input: {} });
  const inside = [...opened, ...made(['lots_cellar_lot', 'Lot 2'])];
  expect(nextReply({ tools: more, calls: inside })).toEqual({ tool: 'lots_greet_user', input: {} });
  const all = [...inside, ...made(['lots_greet_user', 'Ada'])];
  expect(nextReply({ tools: more, calls: all })).toEqual({ text: 'The tools said: Lot 1 | Open | Lot 2 | Ada' });
});

test('the script gives up on a new tool that is never offered', () => {
  const draws = Array.from({ length: 5 }, (_, index) => ['lots_draw_lot', `Lot ${index}`] as const);
  const calls = made(...draws, ['lots_open_cellar', 'Open']);
  expect(nextReply({ tools, calls })).toEqual({ tool: 'lots_greet_user', input: {} });
});

test('a product that offers other tools alone is told so', () => {
  expect(nextReply({ tools: ['redraw_lots', 'shell'], calls: [] })).toEqual({ text: 'There is no tool draw_lot.' });
});

const result = 'Lot 4711 from the blue hat';

/** A nested member, or undefined. */
const member = (of: Loose | undefined, first: string, second: string): LooseValue =>
  (of?.[first] as Loose | undefined)?.[second]; // an object or undefined

/** For each API: a request after one call, and the expected call in the streamed response. */
const dialects: readonly { name: string; path: string; body: Loose; called(events: readonly Loose[]): unknown }[] = [
  {
    name: 'Anthropic messages',
    path: '/v1/messages',
    body: {
      stream: true,
      tools: tools.map((name) => ({ name })),
      messages: [
        { role: 'user', content: 'Draw' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'lots_draw_lot', input: {} }] },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 't1', content: [{ type: 'text', text: result }] }],
        },
      ],
    },
    called: (events) =>
      member(
        events.find(({ type }) => type === 'content_block_start'),
        'content_block',
        'name',
      ),
  },
  {
    name: 'OpenAI chat completions',
    path: '/v1/chat/completions',
    body: {
      stream: true,
      tools: tools.map((name) => ({ type: 'function', function: { name } })),
      messages: [
        { role: 'assistant', tool_calls: [{ id: 't1', function: { name: 'lots_draw_lot', arguments: '{}' } }] },
        { role: 'tool', tool_call_id: 't1', content: result },
      ],
    },
    called(events) {
      const [choice] = objects(events[0]?.['choices']);
      const [call] = objects(member(choice, 'delta', 'tool_calls'));
      return member(call, 'function', 'name');
    },
  },
  {
    name: 'OpenAI responses',
    path: '/v1/responses',
    body: {
      stream: true,
      tools: tools.map((name) => ({ type: 'function', name })),
      input: [
        { type: 'function_call', call_id: 't1', name: 'lots_draw_lot', arguments: '{}' },
        { type: 'function_call_output', call_id: 't1', output: result },
      ],
    },
    called: (events) =>
      member(
        events.find(({ type }) => type === 'response.output_item.done'),
        'item',
        'name',
      ),
  },
  {
    name: 'Gemini generateContent',
    path: '/v1beta/models/gemini:streamGenerateContent?alt=sse',
    body: {
      tools: [{ functionDeclarations: tools.map((name) => ({ name })) }],
      contents: [
        { role: 'model', parts: [{ functionCall: { name: 'lots_draw_lot', args: {} } }] },
        { role: 'user', parts: [{ functionResponse: { name: 'lots_draw_lot', response: { output: result } } }] },
      ],
    },
    called(events) {
      const [candidate] = objects(events[0]?.['candidates']);
      const [part] = objects(member(candidate, 'content', 'parts'));
      return member(part, 'functionCall', 'name');
    },
  },
];

test.each(dialects)(
  'in the dialect $name, the model reads the result and calls the next tool',
  async ({ path, body, called }) => {
    await using provider = await scriptedProvider();
    const events = await post(provider, path, body);
    expect(provider.asked[0]?.conversation).toEqual({ tools, calls: [{ tool: 'lots_draw_lot', result }] });
    expect(called(events)).toBe('lots_open_cellar');
  },
);

test('in the dialect OpenAI responses, a tool in a namespace is called by both names', async () => {
  await using provider = await scriptedProvider();
  const namespace = { type: 'namespace', name: 'mcp__lots', tools: [{ type: 'function', name: 'draw_lot' }] };
  const events = await post(provider, '/v1/responses', { stream: true, tools: [namespace], input: [] });
  const { item } = events.find(({ type }) => type === 'response.output_item.done') ?? {};
  expect(item).toMatchObject({ type: 'function_call', namespace: 'mcp__lots', name: 'draw_lot' });
});

test('a request at any other path is rejected and noted', async () => {
  await using provider = await scriptedProvider();
  const response = await fetch(`${provider.origin}/v1/models`);
  expect([response.status, provider.asked[0]?.path]).toEqual([404, 'GET /v1/models']);
});

async function post({ origin }: ScriptedProvider, path: string, body: Loose): Promise<Loose[]> {
  const response = await fetch(`${origin}${path}`, { method: 'POST', body: JSON.stringify(body) });
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  const data = (await response.text()).split('\n').filter((line) => line.startsWith('data: {'));
  return data.map((line) => JSON.parse(textIn(line.slice(6))) as Loose); // the provider writes JSON
}
