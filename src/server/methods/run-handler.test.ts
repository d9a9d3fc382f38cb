/** What the caller gets when a handler fails, and what is reported to the author. */
import { expect, test } from 'vitest';
import { McpError, RpcError, ToolError } from '../../errors.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import type { CallDetails, HandlerCall } from '../call.ts';
import { isCancellation, runHandler } from './run-handler.ts';

const reason = new Error('stop');
const interim = { resultType: 'input_required' };

/** Runs a handler. `interimResult` is that of the call, which gets the handler's exception, if any. */
async function outcomeOf(
  run: () => Promise<JsonObject>,
  interimResult: (thrown?: unknown) => Promise<JsonObject | undefined> | undefined = () => undefined,
  signal = new AbortController().signal,
) {
  const reported: unknown[] = [];
  const report = (...all: unknown[]): string => `id ${reported.push(all)}`;
  const details = { settings: { report } } as unknown as CallDetails; // runHandler uses nothing else
  const call = { interimResult, signal, what: 'prompt "p"' } as unknown as HandlerCall; // runHandler uses nothing else
  const outcome = await runHandler(details, call, run).catch(({ code, message, data }: RpcError) => ({
    error: { code, message, data },
  }));
  return { outcome, reported };
}

const failing = (thrown: unknown) => (): Promise<JsonObject> => Promise.reject(thrown);

test('the result of a handler is its own, whether or not it asked something', async () => {
  const run = async (): Promise<JsonObject> => ({ ok: true });
  expect(await outcomeOf(run)).toEqual({ outcome: { ok: true }, reported: [] });
  expect(await outcomeOf(run, async () => undefined)).toEqual({ outcome: { ok: true }, reported: [] });
});

test('a handler that a question suspends returns the question, even if it catches or replaces the failure', async () => {
  const suspended = async (): Promise<JsonObject> => interim;
  expect(await outcomeOf(async () => ({ ok: true }), suspended)).toEqual({ outcome: interim, reported: [] });
  expect(await outcomeOf(failing(new Error('other')), suspended)).toEqual({ outcome: interim, reported: [] });
});

test.each<[unknown, JsonObject]>([
  [new RpcError(-32002, 'Not here', { uri: 'a:b' }), { code: -32002, message: 'Not here', data: { uri: 'a:b' } }],
  [new ToolError('Closed on Sundays'), { code: -32603, message: 'Closed on Sundays' }],
  [
    new McpError('MCP_CANNOT_ASK', { what: 'forms', capability: 'elicitation.form', fix: '' }),
    { code: -32603, message: expect.stringContaining('does not support forms (elicitation.form)') },
  ],
  [
    new McpError('MCP_NO_SUCH_QUESTION', { what: 'forms', revision: '2024-11-05' }),
    { code: -32603, message: expect.stringContaining('does not support forms: revision 2024-11-05 lacks it') },
  ],
])('the caller reads %s', async (thrown, error) => {
  expect(await outcomeOf(failing(thrown))).toEqual({ outcome: { error }, reported: [] });
});

const lookalike = Object.assign(new Error('secret'), { code: 'MCP_CANNOT_ASK' });

test.each([new Error('password is x'), new McpError('MCP_CLOSED', { why: 'secret' }), lookalike, 'text'])(
  'the caller reads only an id of %s, which is reported with the name of the part',
  async (thrown) => {
    const { outcome, reported } = await outcomeOf(failing(thrown), async () => undefined);
    expect(outcome).toEqual({ error: { code: -32603, message: 'Internal error (id 1)' } });
    expect(reported).toEqual([[thrown, 'prompt "p"']]);
  },
);

test('a handler that stops because its caller cancelled is not reported', async () => {
  const { outcome, reported } = await outcomeOf(failing(reason), undefined, AbortSignal.abort(reason));
  expect(outcome).toEqual({ error: { code: -32603, message: 'It was cancelled' } });
  expect(reported).toEqual([]);
});

const wrapped = (cause: unknown, times: number): unknown =>
  times === 0 ? cause : new Error('failed', { cause: wrapped(cause, times - 1) });
const say = (message: string): Error => new Error(message);

test.each<[string, unknown, boolean]>([
  ['the reason', reason, true],
  ['a reason in the fifth error', wrapped(reason, 5), true],
  ['a reason in the sixth error', wrapped(reason, 6), false],
  ['words of the fifth error', wrapped(say('Aborted'), 4), true],
  ['words of the sixth error', wrapped(say('Aborted'), 5), false],
  ['a name', Object.assign(say('x'), { name: 'AbortError' }), true],
  ['a code', Object.assign(say('x'), { code: 'ERR_CANCELED' }), true],
  ['words within the first 200 characters', say(`${'x'.repeat(194)}cancel`), true],
  ['words after the first 200 characters', say(`${'x'.repeat(195)}cancel`), false],
  ['another failure', say('gone'), false],
  ['text', 'aborted', false],
  ['nothing', undefined, false],
])('whether a handler was cancelled is told by %s', (_, thrown, expected) => {
  const of = (signal: AbortSignal): boolean => isCancellation(thrown, { signal } as HandlerCall); // the member that it uses
  expect(of(AbortSignal.abort(reason))).toBe(expected);
  expect(of(new AbortController().signal)).toBe(false);
});
