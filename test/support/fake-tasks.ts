/** A server with tasks that responds as a test says, and helpers that wait without real time. */

import type { FormHandler } from '../../src/client/handlers.ts';
import type { ConnectOptions } from '../../src/client/index.ts';
import { RpcError } from '../../src/errors.ts';
import type { JsonObject } from '../../src/jsonrpc/message.ts';
import { LISTEN } from '../../src/model/names.ts';
import type { Handler } from './fake-server.ts';
import { settled } from './held-clock.ts';
import { type Opened, opened } from './opened.ts';

export const at = (second: number): string => new Date(1_000_000_000_000 + second * 1_000).toISOString();
export const handle = (more: JsonObject = {}): JsonObject => ({
  ...{
    taskId: 't-1',
    status: 'working',
    createdAt: at(0),
    lastUpdatedAt: at(0),
    ttlMs: 3_600_000,
    pollIntervalMs: 500,
  },
  ...more,
});
export const done = (text = 'rendered'): JsonObject => ({ content: [{ type: 'text', text }] });
export const ended = (text?: string): JsonObject => handle({ status: 'completed', result: done(text) });
export const question = (name: string): JsonObject => ({
  method: 'elicitation/create',
  params: {
    mode: 'form',
    message: `What is ${name}?`,
    requestedSchema: { type: 'object', properties: { [name]: { type: 'string' } } },
  },
});
export const asks = (...names: string[]): JsonObject =>
  handle({ status: 'input_required', inputRequests: Object.fromEntries(names.map((name) => [name, question(name)])) });

/** Returns one answer after the other, and repeats the last one. */
export const inTurn = (...answers: (JsonObject | RpcError)[]): Handler => {
  let turn = 0;
  return () => answers[Math.min(turn++, answers.length - 1)] ?? {};
};
export const on = (gets: Handler, more: Record<string, Handler> = {}): Record<string, Handler> => ({
  'tools/call': () => ({ resultType: 'task', ...handle() }),
  'tasks/get': gets,
  'tasks/update': () => ({ resultType: 'complete' }),
  'tasks/cancel': () => ({ resultType: 'complete' }),
  [LISTEN]: () => new RpcError(-32601, 'no streams'),
  ...more,
});
export const handles = (
  gets: Handler,
  more: Record<string, Handler> = {},
  options: ConnectOptions = {},
): Promise<Opened> => loaded(opened({ on: on(gets, more) }, { tasks: true, random: () => 0, ...options }));

/** Loads the task code, which takes real time. */
export async function loaded(opening: Promise<Opened>): Promise<Opened> {
  const it = await opening;
  await it.client.attach(undefined as never).catch(() => undefined); // rejects after loading
  return it;
}
export const elicit: FormHandler = ({ message }) => ({ action: 'accept', content: { [message.slice(8, -1)]: 'x' } });

/** Resolves when the call was sent, and its response was processed. */
export async function callSent(it: Opened): Promise<void> {
  for (let turn = 0; turn < 100 && !it.server.methods.includes('tools/call'); turn++) await settled();
  await settled();
}

/** Advances the time until the promise settles. */
export async function within<T>(it: Opened, promise: Promise<T>, ms: number): Promise<T> {
  let isDone = false;
  const over = promise.finally(() => {
    isDone = true;
  });
  over.catch(() => undefined);
  await callSent(it);
  for (let spent = 0; !isDone && spent < ms; spent += 250) await it.clock.advance(250);
  await settled();
  if (!isDone) throw new Error(`nothing came within ${ms} ms`);
  return over;
}
