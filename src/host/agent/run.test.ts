/** The limits of a run, and those that it has by default. */
import { expect, test } from 'vitest';
import { virtualClock } from '../../testing/virtual-clock.ts';
import type { Model, ModelBlock, ModelTool } from '../models/model.ts';
import { type ScriptLine, scriptedModel } from '../models/scripted.ts';
import { ModelConversation } from './conversation.ts';
import type { AgentEvent } from './events.ts';
import type { ModelTools } from './model-tools.ts';
import { type AgentContext, type RunOptions, runAgent } from './run.ts';

const uses = (count: number): readonly ModelBlock[] =>
  Array.from({ length: count }, (_, at) => ({ type: 'tool_use', id: `${at}`, name: 'look', input: {} }) as const);
const turn = (inputTokens: number, outputTokens: number): ScriptLine => ({
  ...{ model: 'm', content: uses(1), stopReason: 'toolUse', usage: { inputTokens, outputTokens } },
});

/** A run with one tool, which answers at once. */
function runOf(model: Model, options: RunOptions = {}, offered: readonly ModelTool[] = []) {
  const calls: string[] = [];
  const tools: Partial<ModelTools> = {
    offer: async () => ({ tools: offered, hints: [] }),
    resolve: async (name) => {
      calls.push(name);
      return { text: 'seen' };
    },
  };
  const context: AgentContext = {
    ...{ model, tools: tools as ModelTools, conversation: new ModelConversation(), viewContexts: () => [] }, // the members that are used
    ...{ clock: virtualClock(), call: () => Promise.reject(new Error('no server is called')) },
  };
  const clock = context.clock as ReturnType<typeof virtualClock>; // as made above
  const run = runAgent(context, [{ role: 'user', content: [{ type: 'text', text: 'Go' }] }], options);
  const last = async (): Promise<AgentEvent | undefined> => {
    let found: AgentEvent | undefined;
    for await (const event of run) found = event;
    return found;
  };
  return { calls, last, clock, conversation: context.conversation };
}

test.each<[string, RunOptions, readonly ScriptLine[], string | undefined, number]>([
  ['20 replies', {}, Array.from({ length: 25 }, () => uses(1)), 'turns', 20],
  ['2 replies', { maxTurns: 2 }, [uses(1), uses(1), 'Done'], 'turns', 2],
  ['3 replies', { maxTurns: 3 }, [uses(1), uses(1), 'Done'], undefined, 2],
  ['50 calls at once', {}, [uses(50), 'Done'], undefined, 50],
  ['51 calls at once', {}, [uses(51), 'Done'], 'calls', 0],
  ['50 calls and one', {}, [uses(50), uses(1), 'Done'], 'calls', 50],
  ['2 calls', { maxCalls: 2 }, [uses(1), uses(1), 'Done'], undefined, 2],
  ['200,000 tokens', {}, [turn(150_000, 49_999), turn(1, 0), 'Done'], 'tokens', 1],
  ['199,999 tokens', {}, [turn(150_000, 49_999), turn(0, 0), 'Done'], undefined, 2],
  ['10 tokens', { maxTokens: 10 }, [turn(5, 5), 'Done'], 'tokens', 0],
])('a run with %s and the limits %j', async (_what, options, script, limit, calls) => {
  const run = runOf(scriptedModel(script), options);
  expect(await run.last()).toMatchObject(limit === undefined ? { text: 'Done' } : { stopReason: 'limit', limit });
  expect(run.calls).toHaveLength(calls);
});

test('a reply that a limit cut off is not in the conversation, so that every call in it has its result', async () => {
  const run = runOf(scriptedModel([uses(1), uses(1)]), { maxCalls: 1 });
  await run.last();
  expect(run.conversation.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
});

test('a reply has 4,096 tokens at most, and is of the first model, unless the run says otherwise', async () => {
  const model = scriptedModel(['Done', 'Done'], [{ name: 'first' }, { name: 'second' }]);
  await runOf(model).last();
  await runOf(model, { replyTokens: 7, model: 'second' }).last();
  expect(model.requests).toMatchObject([
    { maxTokens: 4_096, model: 'first' },
    { maxTokens: 7, model: 'second' },
  ]);
  expect(model.requests.map((request) => 'tools' in request)).toEqual([false, false]);
});

test('a model chooses by itself whether it uses the tools that it is offered', async () => {
  const model = scriptedModel(['Done']);
  const tools = [{ name: 'look', description: '', inputSchema: { type: 'object' } }];
  await runOf(model, {}, tools).last();
  expect(model.requests).toMatchObject([{ tools, toolChoice: 'auto' }]);
});

test('a run ends after ten minutes, and can be followed by another', async () => {
  const model: Model = { models: [{ name: 'slow' }], reply: () => new Promise(() => undefined) };
  const run = runOf(model);
  let last: AgentEvent | undefined;
  const running = run.last().then((event) => {
    last = event;
  });
  await run.clock.advance(599_999);
  expect(last).toBeUndefined();
  await run.clock.advance(1);
  await running;
  expect(last).toMatchObject({ type: 'done', limit: 'time', text: '' });
  expect(() => run.conversation.begin()).not.toThrow();
});

test('a failure that is no error of Mooring is an error event', async () => {
  const failing = (thrown: unknown): Model => ({ models: [], reply: () => Promise.reject(thrown) });
  const error = new TypeError('broken');
  expect(await runOf(failing(error)).last()).toEqual({ type: 'error', error });
  expect(await runOf(failing('text')).last()).toEqual({ type: 'error', error: new Error('text') });
});

test('a run whose signal was aborted before it asks no model', async () => {
  const model = scriptedModel(['Done']);
  const reason = new Error('stopped');
  const last = await runOf(model, { signal: AbortSignal.abort(reason) }).last();
  expect(last).toMatchObject({ type: 'error', error: { code: 'MCP_CANCELLED', cause: reason } });
  expect(model.requests).toEqual([]);
});
