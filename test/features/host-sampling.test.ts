/** Nested sampling: depth limits, and forwarding of conversations with tools. */
import { describe, expect, test } from 'vitest';
import { McpError, ToolError } from '../../src/errors.ts';
import { createHost } from '../../src/host/create-host.ts';
import type { HostOptions } from '../../src/host/host.ts';
import type { Model } from '../../src/host/models/model.ts';
import { scriptedModel } from '../../src/host/models/scripted.ts';
import { rules } from '../../src/host/policy/rules.ts';
import type { Session } from '../../src/host/session.ts';
import { createServer, type Server, tool } from '../../src/index.ts';
import {
  blocksOf,
  type CreateMessageParams,
  type SamplingContent,
  type ToolResultContent,
} from '../../src/model/sampling.ts';
import { revisions } from '../../src/revisions/index.ts';
import { verifies } from '../support/verifies.ts';

const all = revisions.map(({ id }) => id).toReversed();

const hello: CreateMessageParams = {
  messages: [{ role: 'user', content: { type: 'text', text: 'Name a colour' } }],
  maxTokens: 50,
};

/** A server with a tool that samples with these params. */
const painter = (revision: string, params: CreateMessageParams = hello): Server =>
  createServer({
    name: 'painter',
    version: '1',
    revisions: [revision],
    onWarning: () => undefined,
    parts: [
      tool({
        name: 'paint',
        run: async (_, ctx) => {
          try {
            return JSON.stringify(await ctx.sample('colour', params));
          } catch (error) {
            if (error instanceof McpError) throw new ToolError(error.message);
            throw error;
          }
        },
      }),
    ],
  });

const open = (servers: HostOptions['servers'], model: Model): HostOptions => ({
  ...{ servers, model, policy: [rules.allow({})], health: false, onWarning: () => undefined },
});

test.each(all)('models that ask each other by way of tools go three deep and no deeper, in %s', async (revision) => {
  verifies('SAMP-23');
  let [depth, deepest] = [0, 0];
  let session: Session | undefined;
  const paint = async (label: string): Promise<string> =>
    session?.call(`${label}.paint`).then(
      ({ text }) => text,
      (error: unknown) => String(error),
    ) ?? '';
  /** An application's model that calls tools of the host, of one server after the other. */
  const model: Model = {
    models: [{ name: 'busy' }],
    async reply() {
      deepest = Math.max(deepest, ++depth);
      const text = await paint(depth % 2 === 1 ? 'other' : 'harbour');
      depth--;
      return { model: 'busy', content: [{ type: 'text', text }], stopReason: 'endTurn' };
    },
  };
  await using host = createHost(open({ harbour: painter(revision), other: painter(revision) }, model));
  session = host.session();
  expect(await paint('harbour')).toContain('3 deep at most');
  // A finished request frees its slot.
  expect(await paint('harbour')).toContain('3 deep at most');
  expect(deepest).toBe(3);
});

const withTools = all.filter((id) => id >= '2025-11-25');
const mix = { name: 'mix', inputSchema: { type: 'object' }, outputSchema: { type: 'object', required: ['colour'] } };
const count = { name: 'count', inputSchema: { type: 'object' }, outputSchema: { type: 'array' } };

describe.each(withTools)('a conversation with tools in %s', (revision) => {
  test('keeps the _meta of calls and results on the way to the model and back', async () => {
    verifies('SAMP-25');
    const cached = { 'example.test/cache': 'k-1' };
    const mixed = { 'example.test/cache': 'k-2' };
    const model = scriptedModel([
      [{ type: 'tool_use', id: 't1', name: 'mix', input: {}, _meta: cached }],
      'Green it is.',
    ]);
    const server = createServer({
      name: 'painter',
      version: '1',
      revisions: [revision],
      onWarning: () => undefined,
      parts: [
        tool({
          name: 'paint',
          run: async (_, ctx) => {
            const first = await ctx.sample('first', { ...hello, tools: [mix] });
            const results = blocksOf(first.content).flatMap((block): SamplingContent[] =>
              block.type === 'tool_use'
                ? [{ type: 'tool_result', toolUseId: block.id, content: [{ type: 'text', text: 'x' }], _meta: mixed }]
                : [],
            );
            const messages = [
              ...hello.messages,
              { role: 'assistant', content: first.content },
              { role: 'user', content: results },
            ] as const;
            return JSON.stringify(await ctx.sample('second', { ...hello, messages, tools: [mix] }));
          },
        }),
      ],
    });
    await using host = createHost(open({ harbour: server }, model));
    await using session = host.session();
    expect((await session.call('harbour.paint')).text).toContain('Green it is.');
    const [, said, told] = model.requests[1]?.messages ?? [];
    expect(said?.content).toEqual([{ type: 'tool_use', id: 't1', name: 'mix', input: {}, _meta: cached }]);
    expect(told?.content).toMatchObject([{ type: 'tool_result', toolUseId: 't1', _meta: mixed }]);
  });

  /** The response to a server that sends this tool result, and the acts of its host. */
  const resulting = async (
    name: string,
    result: Partial<ToolResultContent>,
  ): Promise<{ text: string; results: readonly unknown[] }> => {
    const seen: unknown[] = [];
    const messages = [
      ...hello.messages,
      { role: 'assistant', content: { type: 'tool_use', id: 't1', name, input: {} } },
      { role: 'user', content: { type: 'tool_result', toolUseId: 't1', content: [], ...result } },
    ] as const;
    await using host = createHost({
      ...open(
        { harbour: painter(revision, { ...hello, messages, tools: [mix, count] }) },
        scriptedModel(['Green it is.']),
      ),
      policy: [rules.allow({ kind: ['connect', 'tool'] }), rules.allow({ name: 'answer' })],
      consent: ({ act }) => {
        const { messages: asked } = act.arguments as unknown as CreateMessageParams; // the prompt under review
        seen.push(...asked.flatMap(({ content }) => blocksOf(content)).filter(({ type }) => type === 'tool_result'));
        return { allow: true };
      },
    });
    await using session = host.session();
    return { text: (await session.call('harbour.paint')).text, results: seen };
  };

  test('carries structured results that are what their tool promised', async () => {
    verifies('SAMP-22');
    const { text, results } = await resulting('mix', { structuredContent: { colour: 'green' } });
    expect(text).toContain('Green it is.');
    expect(results).toMatchObject([{ structuredContent: { colour: 'green' } }]);
  });

  test('carries a list as what the revision has for it', async () => {
    verifies('SAMP-22');
    const { text, results } = await resulting('count', { structuredContent: [1, 2] });
    expect(text).toContain('Green it is.');
    const asText = { type: 'tool_result', toolUseId: 't1', content: [{ type: 'text', text: '[1,2]' }] };
    expect(results).toEqual([
      revision === '2025-11-25' ? asText : { ...asText, content: [], structuredContent: [1, 2] },
    ]);
  });

  test('is not sent with a structured result that breaks the promise, and says what is wrong', async () => {
    verifies('SAMP-22');
    const { text, results } = await resulting('mix', { structuredContent: { shade: 'dark' } });
    expect(text).toMatch(/the result of tool "mix".*colour/);
    expect(results).toEqual([]);
  });

  test('carries failures of tools, which promise nothing', async () => {
    const { text } = await resulting('mix', { structuredContent: { code: 7 }, isError: true });
    expect(text).toContain('Green it is.');
  });
});
