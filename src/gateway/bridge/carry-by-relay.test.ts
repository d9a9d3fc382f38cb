/** Between two sides with interim results: the answers that the upstream gets, and the limits. */
import { expect, test } from 'vitest';
import type { JsonObject } from '../../jsonrpc/message.ts';
import type { Revision } from '../../revisions/contract.ts';
import { findRevision } from '../../revisions/index.ts';
import { virtualClock } from '../../testing/virtual-clock.ts';
import type { Retry, RoutedRequest } from '../contract.ts';
import type { CarryContext } from './bridge-context.ts';
import { CallStates } from './call-states.ts';
import { carryByRelay, questionViolation } from './carry-by-relay.ts';

const part = { label: 'shop', kind: 'tool', key: 'ship', name: 'shop__ship', definition: {} } as const;
const revision = findRevision('2026-07-28') as Revision; // it exists
const theirs = { stage: 'relay', part, round: 1, theirs: 's1' } as const;

/** The params that the upstream receives. */
async function sentFor(params: JsonObject, retry?: Retry, result: JsonObject = { content: [] }): Promise<JsonObject> {
  const clock = virtualClock();
  const sent: JsonObject[] = [];
  const request = async (_: string, given: JsonObject): Promise<JsonObject> => {
    sent.push(given);
    return result;
  };
  const lease = { client: { label: 'shop', revision, request }, release: () => undefined };
  const route = { label: 'shop', settings: {}, capabilities: {}, revision };
  const context = { clock, ...lease, route, states: new CallStates({ clock }), approved: false };
  const routed = {
    ...{ part, revision, method: 'tools/call', params: { name: 'ship' }, retry, session: {}, logLevel: undefined },
    ...{ request: { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, caller: { capabilities: {} } },
    link: { signal: new AbortController().signal, notify: () => undefined },
  } as unknown as RoutedRequest; // the members that are used
  await carryByRelay(routed, context as unknown as CarryContext); // likewise
  return sent[0] ?? {};
}

const inputResponses = { a: { action: 'accept' } };

test('answers that come before any question reach the upstream, without a state', async () => {
  expect(await sentFor({ inputResponses })).toEqual({ name: 'ship', inputResponses });
  expect(await sentFor({ inputResponses: [1] })).toEqual({ name: 'ship' });
  expect(await sentFor({})).toEqual({ name: 'ship' });
});

test('answers to its questions reach the upstream with its own state, and answers for the gateway do not', async () => {
  const params = { inputResponses, requestState: 'ours' };
  const own = { name: 'ship', inputResponses, requestState: 's1' };
  expect(await sentFor(params, { state: theirs, inputResponses })).toEqual(own);
  const { theirs: _, ...stateless } = theirs;
  expect(await sentFor(params, { state: stateless, inputResponses })).toEqual({ name: 'ship', inputResponses });
  expect(await sentFor(params, { state: { stage: 'policy', part }, inputResponses })).toEqual({ name: 'ship' });
});

test('a result of an upstream with more than 1,024 questions is not passed on', async () => {
  const question = { method: 'roots/list', params: {} };
  const inputRequests = Object.fromEntries(Array.from({ length: 1_025 }, (_, at) => [`q${at}`, question]));
  await expect(sentFor({}, undefined, { resultType: 'input_required', inputRequests })).rejects.toMatchObject({
    code: -32603,
    message: expect.stringContaining('it asks 1025 questions at once'),
  });
});

test('a result of an upstream that asks for input, but neither asks nor has a state, is not passed on', async () => {
  const nothing = { resultType: 'input_required', inputRequests: {} };
  await expect(sentFor({}, undefined, nothing)).rejects.toMatchObject({
    code: -32603,
    message: expect.stringContaining('without "inputRequests" and "requestState"'),
  });
});

test('a question that must not be asked is counted against its upstream', () => {
  const counted: unknown[] = [];
  const metrics = { count: (...of: unknown[]) => void counted.push(of), observe: () => undefined };
  expect(questionViolation(new Error('no forms'), 'shop', { metrics })).toMatchObject({
    code: -32603,
    message: '"shop" asked a question that this caller cannot answer: no forms',
  });
  expect(counted).toEqual([['upstream_violations_total', { upstream: 'shop', what: 'question' }]]);
});
