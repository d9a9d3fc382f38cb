/** rateLimit(): how calls are counted per caller, and what callers above the limit get. */
import { expect, test } from 'vitest';
import { everyRevision, open, type RawOptions } from '../../test/support/raw.ts';
import { virtualClock } from '../testing/virtual-clock.ts';
import { prompt } from './prompt.ts';
import { rateLimit } from './rate-limit.ts';
import { createServer, use } from './server.ts';
import { tool } from './tool.ts';

let runs = 0;
const parts = [
  tool({ name: 't', run: () => `${++runs}` }),
  prompt({
    name: 'p',
    args: { type: 'object', properties: { a: { type: 'string' } } },
    complete: { a: () => ['x'] },
    render: () => 'x',
  }),
];
const limited = (calls: number, perMs: number) => {
  const clock = virtualClock();
  const server = use(createServer({ name: 'dock', version: '1', parts }), rateLimit({ calls, perMs, clock }));
  return { clock, opened: (options: RawOptions = {}) => open(server, options) };
};
const as = (subject: string, clientId = 'c') => ({ auth: { issuer: 'i', subject, clientId, scopes: [] } });
const complete = { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'a', value: '' } };

test.each(everyRevision)('more calls than allowed are refused without being run, in %s', async (revision) => {
  const { clock, opened } = limited(2, 1_000);
  const raw = await opened({ revision });
  runs = 0;
  await raw.result('tools/call', { name: 't' });
  await raw.result('completion/complete', complete);
  for (const [method, params] of [
    ['tools/call', { name: 't' }],
    ['completion/complete', complete],
  ] as const) {
    const response = await raw.request(method, params, { id: 'x' });
    expect(response).toEqual({
      jsonrpc: '2.0',
      id: 'x',
      error: { code: -32603, message: 'Too many calls: 2 per 1000 ms are allowed' },
    });
  }
  expect(runs).toBe(1);
  await clock.advance(1_000);
  await raw.result('tools/call', { name: 't' });
  expect(runs).toBe(2);
});

test('rateLimit() does not limit lists, prompts and notifications', async () => {
  const { opened } = limited(1, 1_000);
  const raw = await opened();
  await raw.result('tools/call', { name: 't' });
  for (let i = 0; i < 5; i++) await raw.result('tools/list');
  await raw.result('prompts/get', { name: 'p' });
  expect(await raw.say('notifications/whatever')).toBeUndefined();
});

test('rateLimit() counts calls per caller across all of its connections', async () => {
  const { opened } = limited(1, 1_000);
  const [ada, again, bob, other, anonymous] = [
    await opened(as('ada')),
    await opened(as('ada')),
    await opened(as('bob')),
    await opened(as('ada', 'd')),
    await opened(),
  ];
  for (const raw of [ada, bob, other, anonymous]) await raw.result('tools/call', { name: 't' });
  for (const raw of [ada, again, bob, other, anonymous]) await raw.error('tools/call', { name: 't' });
});

test('rateLimit() evicts the oldest of more than 10,000 callers', async () => {
  const { opened } = limited(1, 60_000);
  const first = await opened(as('first'));
  await first.result('tools/call', { name: 't' });
  await first.error('tools/call', { name: 't' });
  for (let i = 0; i < 10_000; i++) await (await opened(as(`u${i}`))).result('tools/call', { name: 't' });
  // The first caller is evicted first.
  await first.result('tools/call', { name: 't' });
});

test('a caller that is counted already evicts no other caller', async () => {
  const { clock, opened } = limited(1, 60_000);
  const [ada, bob] = [await opened(as('ada')), await opened(as('bob'))];
  for (const raw of [ada, bob]) await raw.result('tools/call', { name: 't' });
  await clock.advance(60_000);
  await ada.result('tools/call', { name: 't' });
  for (let i = 0; i < 9_998; i++) await (await opened(as(`u${i}`))).result('tools/call', { name: 't' });
  await bob.result('tools/call', { name: 't' });
  await ada.error('tools/call', { name: 't' });
});

test('a limit of 0 calls rejects every call', async () => {
  const { opened } = limited(0, 1_000);
  const response = await (await opened()).request('tools/call', { name: 't' }, { id: 'x' });
  expect(response).toMatchObject({ error: { message: 'Too many calls: 0 per 1000 ms are allowed' } });
});

test('a window has its length whenever it begins, and notifications do not count', async () => {
  const { clock, opened } = limited(1, 1_000);
  const raw = await opened();
  await raw.say('tools/call', { name: 't' });
  await clock.advance(500);
  await raw.result('tools/call', { name: 't' });
  await clock.advance(900);
  await raw.error('tools/call', { name: 't' });
  await clock.advance(100);
  await raw.result('tools/call', { name: 't' });
});

test('a limit is two numbers that are not negative', () => {
  expect(() => rateLimit({ calls: 1, perMs: 0 })).not.toThrow();
  for (const odd of [
    { calls: -1, perMs: 1 },
    { calls: 1, perMs: -1 },
    { calls: Number.NaN, perMs: 1 },
  ])
    expect(() => rateLimit(odd)).toThrow('"calls" and "perMs" must be numbers');
});
