import { expect, test } from 'vitest';
import type { QuestionContext } from '../../client/index.ts';
import { McpError } from '../../errors.ts';
import { virtualClock } from '../../testing/virtual-clock.ts';
import type { Gate } from '../gate/gate.ts';
import { scriptedModel } from '../models/scripted.ts';
import { ActiveCalls } from './active-calls.ts';
import { Sampling } from './sampling.ts';

const params = {
  messages: [{ role: 'user', content: { type: 'text', text: 'Name a color' } }],
  maxTokens: 50,
} as const;

/** Asks a model through a gate that allows everything, or fails with this error. */
function asking(failure?: Error) {
  const pass: Gate['pass'] = async (act, run) => {
    if (failure !== undefined) throw failure;
    return run({ id: '1', arguments: act.arguments, learn: () => undefined, noteTask: () => undefined });
  };
  const { handlers } = new Sampling({
    server: { label: 'shop', identity: () => ({ server: 'shop' }) } as never, // the members that are read
    gate: { pass, foresee: () => 'allow' } as unknown as Gate, // likewise
    ...{ activeCalls: new ActiveCalls(), clock: virtualClock(), limits: {} },
    model: scriptedModel(Array.from({ length: 9 }, () => 'Green')),
  });
  const context = { signal: new AbortController().signal } as QuestionContext; // likewise
  return async () => handlers.create(params, context);
}

test('a request that the user or a rule denies is declined, and any other failure is not', async () => {
  const denied = new McpError('MCP_DENIED', { id: '1', what: 'this', why: 'the user declined', rule: 'none' });
  expect(await asking(denied)()).toBe('declined');
  const failed = new McpError('MCP_MODEL_FAILED', { url: 'https://a.example', why: 'it is out of order' });
  await expect(asking(failed)()).rejects.toBe(failed);
  const other = new TypeError('MCP_DENIED');
  await expect(asking(other)()).rejects.toBe(other);
});

test('requests that failed do not count as running', async () => {
  const failed = new Error('out of order');
  const ask = asking(failed);
  for (let count = 0; count < 9; count++) await expect(ask()).rejects.toBe(failed);
  expect(await asking()()).toMatchObject({ content: { text: 'Green' } });
});
