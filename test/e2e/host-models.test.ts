/** Model providers over real sockets: requests, streams, and failures. */
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { anthropic } from '../../src/host/models/anthropic.ts';
import type { Model, ModelRequest } from '../../src/host/models/model.ts';
import { openai } from '../../src/host/models/openai.ts';
import {
  chunks,
  type FakeAnswer,
  type FakeProvider,
  fakeProvider,
  hastyClock,
  named,
} from '../support/fake-provider.ts';

const KEY = 'sk-live-0123456789abcdef';

const request: ModelRequest = {
  model: 'large-1',
  system: 'Be brief.',
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Weather?' },
        { type: 'image', data: 'AAAA', mimeType: 'image/png' },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'I look.' },
        { type: 'tool_use', id: 'c1', name: 'weather', input: { at: 'Oslo' } },
      ],
    },
    {
      role: 'user',
      content: [{ type: 'tool_result', toolUseId: 'c1', content: [{ type: 'text', text: 'broken' }], isError: true }],
    },
  ],
  tools: [{ name: 'weather', description: 'Tells it.', inputSchema: { type: 'object' } }],
  toolChoice: 'required',
  maxTokens: 100,
  temperature: 0.5,
  stopSequences: ['END'],
};

const plain: ModelRequest = {
  model: 'large-1',
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
  maxTokens: 10,
};

const spoken = named(
  { type: 'message_start', message: { model: 'large-1-x', usage: { input_tokens: 12, output_tokens: 1 } } },
  { type: 'ping' },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'It is ' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'cold: ❄' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'content_block_start', index: 1, content_block: { type: 'tool_use', id: 'c2', name: 'weather', input: {} } },
  { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{"at": "Ber' } },
  { type: 'content_block_start', index: 2, content_block: { type: 'tool_use', id: 'c3', name: 'now', input: {} } },
  { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: 'gen"}' } },
  { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 34 } },
  { type: 'message_stop' },
);

const said = chunks(
  { model: 'large-1-x', choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }] },
  { choices: [{ index: 0, delta: { content: 'It is ' }, finish_reason: null }] },
  { choices: [{ index: 0, delta: { content: 'cold: ❄' }, finish_reason: null }] },
  {
    choices: [
      {
        index: 0,
        delta: { tool_calls: [{ index: 0, id: 'c2', type: 'function', function: { name: 'weather', arguments: '' } }] },
      },
    ],
  },
  { choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: '{"at": "Ber' } }] } }] },
  {
    choices: [
      {
        index: 0,
        delta: { tool_calls: [{ index: 1, id: 'c3', type: 'function', function: { name: 'now', arguments: '' } }] },
      },
    ],
  },
  { choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: 'gen"}' } }] } }] },
  { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
  { choices: [], usage: { prompt_tokens: 12, completion_tokens: 34 } },
);

const whole = {
  model: 'large-1-x',
  content: [
    { type: 'text', text: 'It is cold: ❄' },
    { type: 'tool_use', id: 'c2', name: 'weather', input: { at: 'Bergen' } },
    { type: 'tool_use', id: 'c3', name: 'now', input: {} },
  ],
  stopReason: 'toolUse',
  usage: { inputTokens: 12, outputTokens: 34 },
};

type Make = typeof anthropic;
const makers: readonly [string, Make, readonly string[]][] = [
  ['anthropic', anthropic, spoken],
  ['openai', openai, said],
];

const modelAt = (make: Make, { origin }: FakeProvider, clock = hastyClock()): Model =>
  make({ apiKey: KEY, baseUrl: origin, model: 'large-1', clock, random: () => 0 });

describe.each(makers)('%s', (_, make, stream) => {
  test('streams text as it comes, and puts calls together from their pieces', async () => {
    await using provider = await fakeProvider([{ pieces: stream }]);
    const heard: string[] = [];
    const reply = await modelAt(make, provider).reply(request, { onText: (text) => heard.push(text) });
    expect(reply).toEqual(whole);
    expect(heard).toEqual(['It is ', 'cold: ❄']);
  });

  test('however the bytes are cut, they come to the same', async () => {
    const bytes = stream.join('');
    const pieces = bytes.match(/[\s\S]{1,7}/g) ?? [];
    await using provider = await fakeProvider([{ pieces }]);
    expect(await modelAt(make, provider).reply(request)).toEqual(whole);
  });

  test.each([429, 503, 529])('status %i is tried again after as long as it says', async (status) => {
    const clock = hastyClock();
    await using provider = await fakeProvider([
      { status, headers: { 'retry-after': '7' }, pieces: [] },
      { status, headers: { 'retry-after': new Date(clock.wall() + 9_000).toUTCString() }, pieces: [] },
      { pieces: stream },
    ]);
    expect(await modelAt(make, provider, clock).reply(request)).toEqual(whole);
    expect(clock.pauses).toEqual([7_000, 9_000]);
  });

  test('a provider that asks for more than a minute, or fails three times, is not asked again', async () => {
    const late: FakeAnswer = { status: 429, headers: { 'retry-after': '3600' }, pieces: [] };
    await using slow = await fakeProvider([late]);
    await expect(modelAt(make, slow).reply(plain)).rejects.toMatchObject({
      code: 'MCP_MODEL_FAILED',
      message: expect.stringContaining('3600'),
    });
    expect(slow.asked.length).toBe(1);
    await using broken = await fakeProvider(Array.from({ length: 5 }, () => ({ status: 500, pieces: ['oops'] })));
    await expect(modelAt(make, broken).reply(plain)).rejects.toMatchObject({ code: 'MCP_MODEL_FAILED' });
    expect(broken.asked.length).toBe(3);
  });

  test('a refusal is told once, in the words of the provider, without the key', async () => {
    const body = JSON.stringify({ error: { type: 'auth', message: `bad key ${KEY}\u001b[2J` } });
    await using provider = await fakeProvider([{ status: 401, pieces: [body] }]);
    const failure: unknown = await modelAt(make, provider)
      .reply(plain)
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'MCP_MODEL_FAILED', message: expect.stringContaining('bad key') });
    expect(String(failure)).not.toContain(KEY);
    expect(JSON.stringify(failure)).not.toContain(KEY);
    expect(String(failure)).not.toContain('\u001b');
    expect(provider.asked.length).toBe(1);
  });

  test.each<[string, FakeAnswer, RegExp]>([
    ['ends before it is over', { pieces: stream.slice(0, 4) }, /ended early/],
    ['is cut off', { pieces: stream.slice(0, 4), breaks: true }, /broke/],
    [
      'turns into an error',
      { pieces: [...stream.slice(0, 4), 'data: {"type":"error","error":{"message":"overloaded"}}\n\n'] },
      /overloaded/,
    ],
    ['is no JSON', { pieces: ['data: nonsense\n\n'] }, /not a JSON object/],
  ])('an answer that %s is a failure, and is not tried again', async (_what, answer, words) => {
    await using provider = await fakeProvider([answer, { pieces: stream }]);
    await expect(modelAt(make, provider).reply(request)).rejects.toMatchObject({
      code: 'MCP_MODEL_FAILED',
      message: expect.stringMatching(words),
    });
    expect(provider.asked.length).toBe(1);
  });

  test('who stops waiting hangs up', async () => {
    await using provider = await fakeProvider([{ pieces: stream.slice(0, 5), hangs: true }]);
    const controller = new AbortController();
    const replying = modelAt(make, provider).reply(request, {
      signal: controller.signal,
      onText: () => controller.abort(),
    });
    await expect(replying).rejects.toMatchObject({ code: 'MCP_CANCELLED' });
    await provider.asked[0]?.gone;
  });

  test('silence is not waited out for ever', async () => {
    const clock = hastyClock();
    await using provider = await fakeProvider([{ pieces: stream.slice(0, 5), hangs: true }]);
    const replying = modelAt(make, provider, clock).reply(request, { onText: () => setImmediate(() => clock.ring()) });
    await expect(replying).rejects.toMatchObject({ code: 'MCP_TIMEOUT' });
  });

  test('a redirect is not followed', async () => {
    await using other = await fakeProvider([{ pieces: stream }]);
    await using provider = await fakeProvider(
      Array.from({ length: 3 }, () => ({ status: 307, headers: { location: other.origin }, pieces: [] })),
    );
    await expect(modelAt(make, provider).reply(plain)).rejects.toMatchObject({ code: 'MCP_MODEL_FAILED' });
    expect(other.asked).toEqual([]);
  });

  test('a key goes to no address in the clear, and a model has a name', () => {
    expect(() => make({ apiKey: KEY, baseUrl: 'http://models.example.test', model: 'm' })).toThrow(/https:/);
    expect(() => make({ apiKey: KEY, model: [] })).toThrow(/at least one/);
    expect(make({ apiKey: KEY, model: ['a', { name: 'b', cost: 1 }] }).models).toEqual([
      { name: 'a' },
      { name: 'b', cost: 1 },
    ]);
  });
});

test('the Messages API is asked in its own words', async () => {
  await using provider = await fakeProvider([{ pieces: spoken }]);
  await modelAt(anthropic, provider).reply(request);
  expect(provider.asked[0]).toMatchObject({
    path: '/v1/messages',
    headers: { 'x-api-key': KEY, 'anthropic-version': '2023-06-01' },
  });
  expect(provider.asked[0]?.body).toEqual({
    model: 'large-1',
    system: 'Be brief.',
    max_tokens: 100,
    temperature: 0.5,
    stop_sequences: ['END'],
    stream: true,
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Weather?' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'I look.' },
          { type: 'tool_use', id: 'c1', name: 'weather', input: { at: 'Oslo' } },
        ],
      },
      {
        role: 'user',
        content: [
          {
            ...{ type: 'tool_result', tool_use_id: 'c1', content: [{ type: 'text', text: 'broken' }], is_error: true },
            cache_control: { type: 'ephemeral' },
          },
        ],
      },
    ],
    tools: [
      {
        ...{ name: 'weather', description: 'Tells it.', input_schema: { type: 'object' } },
        cache_control: { type: 'ephemeral' },
      },
    ],
    tool_choice: { type: 'any' },
  });
});

test('the Messages API gets no cache marks on empty text, nor in a request without tools, which is not repeated', async () => {
  await using provider = await fakeProvider([{ pieces: spoken }, { pieces: spoken }]);
  const model = modelAt(anthropic, provider);
  await model.reply({ ...request, messages: [{ role: 'user', content: [{ type: 'text', text: '' }] }] });
  await model.reply(plain);
  expect(provider.asked.map(({ body }) => body['messages'])).toEqual([
    [{ role: 'user', content: [{ type: 'text', text: '' }] }],
    [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
  ]);
});

test('input tokens of the Messages API include those of its cache', async () => {
  const usage = { input_tokens: 2, cache_creation_input_tokens: 3, cache_read_input_tokens: 7 };
  const start = { type: 'message_start', message: { model: 'large-1', usage } };
  const end = { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } };
  await using provider = await fakeProvider([{ pieces: named(start, end, { type: 'message_stop' }) }]);
  const reply = await modelAt(anthropic, provider).reply(plain);
  expect(reply.usage).toEqual({ inputTokens: 12, outputTokens: 1 });
});

test('chat completions are asked in theirs', async () => {
  await using provider = await fakeProvider([{ pieces: said }]);
  await modelAt(openai, provider).reply(request);
  expect(provider.asked[0]).toMatchObject({ path: '/chat/completions', headers: { authorization: `Bearer ${KEY}` } });
  expect(provider.asked[0]?.body).toEqual({
    model: 'large-1',
    max_tokens: 100,
    temperature: 0.5,
    stop: ['END'],
    stream: true,
    stream_options: { include_usage: true },
    messages: [
      { role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Weather?' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
        ],
      },
      {
        role: 'assistant',
        content: 'I look.',
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'weather', arguments: '{"at":"Oslo"}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'Error: broken' },
    ],
    tools: [
      { type: 'function', function: { name: 'weather', description: 'Tells it.', parameters: { type: 'object' } } },
    ],
    tool_choice: 'required',
  });
});

describe('the longest answer of chat completions', () => {
  const limitsOf = ({ asked }: FakeProvider): unknown[] =>
    asked.map(({ body }) => [body['max_completion_tokens'], body['max_tokens']]);
  const refusing = (message: string): FakeAnswer => ({
    status: 400,
    pieces: [JSON.stringify({ error: { message, type: 'invalid_request_error' } })],
  });

  test('goes by its new name at OpenAI, however its address is written', async () => {
    await using provider = await fakeProvider([{ pieces: said }, { pieces: said }]);
    const real = globalThis.fetch;
    // Requests to other machines.
    vi.stubGlobal('fetch', (url: URL, init: RequestInit) => {
      expect(url.href).toBe('https://api.openai.com/v1/chat/completions');
      return real(new URL(url.pathname, provider.origin), init);
    });
    onTestFinished(() => void vi.unstubAllGlobals());
    await openai({ apiKey: KEY, model: 'large-1' }).reply(plain);
    await openai({ apiKey: KEY, model: 'large-1', baseUrl: 'https://api.openai.com/v1/' }).reply(plain);
    expect(limitsOf(provider)).toEqual([
      [10, undefined],
      [10, undefined],
    ]);
  });

  test('goes by its old name elsewhere, so that every provider finds it', async () => {
    await using provider = await fakeProvider([{ pieces: said }]);
    await modelAt(openai, provider).reply(plain);
    expect(limitsOf(provider)).toEqual([[undefined, 10]]);
  });

  test('goes by the other name where the first is not known, from then on and for this model', async () => {
    const refusal = refusing(
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    );
    await using provider = await fakeProvider([refusal, { pieces: said }, { pieces: said }, { pieces: said }]);
    const model = modelAt(openai, provider);
    expect((await model.reply(plain)).stopReason).toBe('toolUse');
    await model.reply(plain);
    await model.reply({ ...plain, model: 'small-1' });
    expect(limitsOf(provider)).toEqual([
      [undefined, 10],
      [10, undefined],
      [10, undefined],
      [undefined, 10],
    ]);
  });

  test.each([
    refusing('max_tokens must be at most 5'),
    refusing('Unknown model'),
    { status: 401, pieces: ['max_tokens is not supported'] },
  ])('is not asked for under another name where the name is not what is wrong', async (refusal) => {
    await using provider = await fakeProvider([refusal, { pieces: said }]);
    await expect(modelAt(openai, provider).reply(plain)).rejects.toMatchObject({ code: 'MCP_MODEL_FAILED' });
    expect(provider.asked).toHaveLength(1);
  });
});
