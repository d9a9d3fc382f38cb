/** Calls that wait for answers, event by event. */
import { expect, test } from 'vitest';
import { verifies } from '../../../test/support/verifies.ts';
import { accept, CallerRequest, form, UpstreamSide, WaitingScene } from '../../../test/support/waiting-upstream.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import type { WaitingCall, WaitingCallSettings } from './waiting-call.ts';
import type { WaitingLimits } from './waiting-calls.ts';

interface Started {
  readonly scene: WaitingScene;
  readonly up: UpstreamSide;
  readonly call: WaitingCall;
  readonly first: CallerRequest;
  retry(round: number, answers: JsonObject, caller?: CallerRequest): CallerRequest;
}

function start(
  limits: Partial<WaitingLimits> = {},
  scene = new WaitingScene(limits),
  facts: Partial<WaitingCallSettings> = {},
): Started {
  const [up, call] = [new UpstreamSide(), scene.create(facts)];
  const first = new CallerRequest().for((attached) => call.begin(up.send, attached));
  const retry = (round: number, answers: JsonObject, caller = new CallerRequest()): CallerRequest =>
    caller.for((attached) => scene.calls.find(call.id).resume(round, answers, attached));
  return { scene, up, call, first, retry };
}

/** A call whose first question was sent. */
async function asked(limits: Partial<WaitingLimits> = {}): Promise<Started> {
  const started = start(limits);
  started.up.ask();
  await started.scene.clock.advance(15);
  expect(started.first.ended).toBe('asks q1');
  return started;
}

test('a call that asks nothing ends its first request, and never waits', async () => {
  const { scene, up, first } = start();
  up.finish();
  await scene.clock.advance(0);
  expect([first.ended, scene.calls.size, scene.ends]).toEqual(['done', 0, []]);
});

test('questions within 15 ms are one round, with the label of the server in each, and the answers reach the upstream', async () => {
  verifies('MRTR-004');
  const { scene, up, first, retry } = start();
  up.ask();
  await scene.clock.advance(14);
  up.ask('roots/list', {});
  expect(first.ended).toBeUndefined();
  await scene.clock.advance(1);
  expect(first.ended).toBe('asks q1 q2');
  expect(first.asks).toEqual({
    resultType: 'input_required',
    inputRequests: {
      q1: { method: 'elicitation/create', params: { mode: 'form', ...form, message: '[shop] Who?' } },
      q2: { method: 'roots/list', params: {} },
    },
    requestState: expect.any(String),
  });
  const second = retry(1, { q1: accept('Ada'), q2: { roots: [{ uri: 'file:///a' }, 'x'] } });
  await scene.clock.advance(0);
  expect(up.answers).toEqual([accept('Ada'), { roots: [{ uri: 'file:///a' }] }]);
  up.finish('hello');
  await scene.clock.advance(0);
  expect([second.ended, scene.calls.size, scene.ends]).toEqual(['hello', 0, ['done']]);
});

test('ten rounds work, and a new question never gets an old key', async () => {
  const { scene, up, first, retry } = start();
  let last = first;
  for (let round = 1; round <= 10; round++) {
    up.ask();
    await scene.clock.advance(15);
    expect(last.ended).toBe(`asks q${round}`);
    last = retry(round, { [`q${round}`]: accept(`n${round}`) });
    await scene.clock.advance(0);
  }
  up.finish();
  await scene.clock.advance(0);
  expect([last.ended, up.answers.length]).toEqual(['done', 10]);
});

test('a call that asks in a twenty-first round is answered with cancel', async () => {
  const { scene, up, first, retry } = start();
  let last = first;
  for (let round = 1; round <= 20; round++) {
    up.ask();
    await scene.clock.advance(15);
    last = retry(round, { [`q${round}`]: accept('x') });
    await scene.clock.advance(0);
  }
  up.ask();
  await scene.clock.advance(15);
  expect([up.answers.at(-1), last.ended]).toEqual([{ action: 'cancel' }, undefined]);
});

test('a result within the 15 ms is the answer, and the questions are dropped', async () => {
  const { scene, up, first } = start();
  up.ask();
  await scene.clock.advance(10);
  up.finish();
  await scene.clock.advance(100);
  expect([first.ended, up.answers, scene.calls.size]).toEqual(['done', [{ action: 'cancel' }], 0]);
});

test('the same retry gets what the first one got, waits beside it, and goes on when the first one hangs up', async () => {
  const { scene, up, retry } = await asked();
  const [one, two] = [retry(1, { q1: accept('Ada') }), retry(1, { q1: accept('Ada') })];
  await scene.clock.advance(0);
  expect(up.answers).toEqual([accept('Ada')]);
  up.report(1);
  one.hangUp();
  await scene.clock.advance(0);
  expect(up.aborted).toBe(false);
  up.report(2);
  expect([one.reports, two.reports]).toEqual([[1], [2]]);
  up.finish();
  await scene.clock.advance(59_000);
  const three = retry(1, { q1: accept('Ada') });
  await scene.clock.advance(0);
  expect([two.ended, three.ended]).toEqual(['done', 'done']);
  await scene.clock.advance(1_000);
  const four = retry(1, { q1: accept('Ada') });
  await scene.clock.advance(0);
  expect(four.ended).toBe('error: requestState cannot be continued: the call has ended');
});

test('the same retry of an earlier round gets the questions of the next one', async () => {
  const { scene, up, retry } = await asked();
  const one = retry(1, { q1: accept('Ada') });
  await scene.clock.advance(0);
  up.ask();
  await scene.clock.advance(15);
  const again = retry(1, { q1: accept('Ada') });
  await scene.clock.advance(0);
  expect([one.asks, one.ended]).toEqual([again.asks, 'asks q2']);
});

test('other answers for the same state are rejected, before and after the end', async () => {
  const { scene, up, retry } = await asked();
  retry(1, { q1: accept('Ada') });
  const other = retry(1, { q1: accept('Eve') });
  await scene.clock.advance(0);
  up.finish();
  await scene.clock.advance(0);
  const late = retry(1, { q1: { action: 'decline' } });
  await scene.clock.advance(0);
  expect([other.ended, late.ended]).toEqual(Array(2).fill('error: requestState was used before'));
  expect(up.answers).toEqual([accept('Ada')]);
});

test('an answer with a fault is rejected with −32602, and the round can still be answered', async () => {
  verifies('MRTR-017');
  const { scene, up, retry } = await asked();
  const bad = retry(1, { q1: { action: 'maybe' } });
  await scene.clock.advance(0);
  expect(bad.error).toMatchObject({ code: -32602, message: expect.stringContaining('"params.inputResponses.q1"') });
  const good = retry(1, { q1: { action: 'decline', content: { name: 'x' } } });
  await scene.clock.advance(0);
  expect([up.answers, good.ended]).toEqual([[{ action: 'decline' }], undefined]);
});

test('missing answers are asked for again under their keys, and unknown keys are ignored', async () => {
  verifies('MRTR-018');
  const { scene, up, retry } = start();
  up.ask();
  up.ask('roots/list', {});
  await scene.clock.advance(15);
  const half = retry(1, { q2: { roots: [] }, q9: accept('x'), __proto__: accept('x') });
  await scene.clock.advance(15);
  expect([half.ended, up.answers]).toEqual(['asks q1', [{ roots: [] }]]);
  const rest = retry(2, { q1: accept('Ada') });
  await scene.clock.advance(0);
  up.finish();
  await scene.clock.advance(0);
  expect([rest.ended, up.answers.at(-1)]).toEqual(['done', accept('Ada')]);
});

test('a question that comes while no request is open goes out with the next round', async () => {
  const { scene, up, retry } = await asked();
  up.ask();
  await scene.clock.advance(1_000);
  const second = retry(1, { q1: accept('Ada') });
  await scene.clock.advance(15);
  expect([up.answers, second.ended]).toEqual([[accept('Ada')], 'asks q2']);
});

test('an answer to a question that the caller was not shown yet is ignored', async () => {
  const { scene, up, retry } = await asked();
  up.ask();
  const second = retry(1, { q1: accept('Ada'), q2: accept('guessed') });
  await scene.clock.advance(15);
  expect([up.answers, second.ended]).toEqual([[accept('Ada')], 'asks q2']);
});

test('a question that comes while no request is open is checked like any other before it is kept', async () => {
  const { scene, up, retry } = await asked();
  up.ask('elicitation/create', { ...form, message: 'x'.repeat(65_537) });
  up.ask('elicitation/create', { mode: 'url', message: 'Pay', url: 'https://evil.example/pay', elicitationId: 'e' });
  await scene.clock.advance(1_000);
  expect(up.answers).toMatchObject([
    { code: -32602, message: 'elicitation/create: longer than 65536 characters' },
    { code: -32602, message: expect.stringContaining('pages on evil.example are not allowed') },
  ]);
  const second = retry(1, { q1: accept('Ada') });
  up.finish();
  await scene.clock.advance(15);
  expect(second.ended).toBe('done');
});

test('a question that the upstream cancels is forgotten, and its late answer is ignored', async () => {
  const { scene, up, retry, first } = start();
  const cancel = up.ask();
  await scene.clock.advance(15);
  expect(first.ended).toBe('asks q1');
  cancel();
  const second = retry(1, { q1: accept('late') });
  await scene.clock.advance(100);
  expect([second.ended, up.answers]).toEqual([undefined, [expect.objectContaining({ code: -32603 })]]);
  up.finish();
  await scene.clock.advance(0);
  expect(second.ended).toBe('done');
});

test('an upstream that finishes while its caller thinks has its result kept for the retry, whose answers are ignored', async () => {
  const { scene, up, retry } = await asked();
  up.finish('without you');
  await scene.clock.advance(200_000);
  const second = retry(1, { q1: accept('Ada') });
  await scene.clock.advance(0);
  expect([second.ended, up.answers, scene.calls.size]).toEqual(['without you', [{ action: 'cancel' }], 0]);
});

test('an upstream that fails while its caller thinks fails the retry', async () => {
  const { scene, up, retry } = await asked();
  up.fail('out of stock');
  await scene.clock.advance(0);
  const second = retry(1, { q1: accept('Ada') });
  await scene.clock.advance(0);
  expect(second.error).toMatchObject({ code: -32000, message: 'out of stock' });
});

test('an outcome that is too large to keep is unknown to the retry', async () => {
  const { scene, up, retry } = await asked({ maxOutcomeBytes: 1_000 });
  up.finish('x'.repeat(2_000));
  await scene.clock.advance(0);
  const second = retry(1, { q1: accept('Ada') });
  await scene.clock.advance(0);
  expect(second.error).toMatchObject({ code: -32603, data: { outcome: 'unknown', label: 'shop' } });
});

test('all kept outcomes together have a limit', async () => {
  const scene = new WaitingScene({ maxRetainedBytes: 1_000 });
  const both = [start({}, scene), start({}, scene)];
  for (const { up } of both) up.ask();
  await scene.clock.advance(15);
  for (const { up } of both) up.finish('x'.repeat(600));
  await scene.clock.advance(0);
  const retries = both.map(({ retry }) => retry(1, { q1: accept('Ada') }));
  await scene.clock.advance(0);
  expect(retries.map(({ error }) => error?.code)).toEqual([undefined, -32603]);
});

test('a call whose caller does not come back ends upstream within its time and two seconds, and leaves nothing', async () => {
  const { scene, up, retry } = await asked();
  up.ask('sampling/createMessage', { messages: [], maxTokens: 1 });
  await scene.clock.advance(299_999);
  expect([up.answers, up.aborted]).toEqual([[], false]);
  await scene.clock.advance(1);
  expect(up.answers).toMatchObject([{ action: 'cancel' }, { code: -1 }]);
  up.ask();
  await scene.clock.advance(1_999);
  expect([up.answers.at(-1), up.aborted]).toEqual([{ action: 'cancel' }, false]);
  await scene.clock.advance(1);
  expect([up.aborted, scene.calls.size, scene.ends]).toEqual([true, 0, ['expired']]);
  const late = retry(1, { q1: accept('Ada') });
  await scene.clock.advance(0);
  expect(late.error).toMatchObject({ code: -32602, message: expect.stringContaining('has expired') });
});

test('an upstream that ends by itself when its question is cancelled is not cancelled', async () => {
  const { scene, up } = await asked();
  await scene.clock.advance(300_000);
  up.finish('nevertheless');
  await scene.clock.advance(10_000);
  expect([up.aborted, scene.ends]).toEqual([false, ['expired']]);
});

test.each(['before a question', 'while questions are gathered', 'in a resumed round'])(
  'a caller that hangs up %s cancels the call upstream',
  async (when) => {
    const { scene, up, first, retry } = start();
    if (when !== 'before a question') up.ask();
    let open = first;
    if (when === 'in a resumed round') {
      await scene.clock.advance(15);
      open = retry(1, { q1: accept('Ada') });
      await scene.clock.advance(0);
    }
    open.hangUp();
    await scene.clock.advance(0);
    expect([up.aborted, scene.calls.size]).toEqual([true, 0]);
    const late = retry(1, { q1: accept('Ada') });
    await scene.clock.advance(0);
    expect(late.error).toMatchObject({ code: -32602, message: expect.stringContaining('has ended') });
  },
);

test('a caller that hangs up after the questions were sent cancels nothing', async () => {
  const { scene, up, first, retry } = await asked();
  first.hangUp();
  const second = retry(1, { q1: accept('Ada') });
  await scene.clock.advance(0);
  up.finish();
  await scene.clock.advance(0);
  expect([second.ended, up.aborted]).toEqual(['done', false]);
});

test('a way to the caller that is lost cancels nothing: the same retry gets the outcome within a minute', async () => {
  const { scene, up, retry } = await asked();
  const lost = retry(1, { q1: accept('Ada') });
  await scene.clock.advance(0);
  lost.lose();
  up.finish('kept');
  await scene.clock.advance(59_999);
  const again = retry(1, { q1: accept('Ada') });
  await scene.clock.advance(0);
  expect([again.ended, up.aborted]).toEqual(['kept', false]);
});

test('a way to the caller that is lost for good ends like a caller that does not come back', async () => {
  const { scene, up, retry } = await asked();
  const lost = retry(1, { q1: accept('Ada') });
  await scene.clock.advance(0);
  lost.lose();
  up.ask();
  await scene.clock.advance(302_000);
  expect([up.aborted, up.answers.at(-1), scene.calls.size]).toEqual([true, { action: 'cancel' }, 0]);
});

test('a retry that declares less is not asked more, and the upstream is answered without it', async () => {
  const { scene, up, retry } = await asked();
  up.ask('sampling/createMessage', { messages: [], maxTokens: 1 });
  up.ask('elicitation/create', { mode: 'url', message: 'Pay', url: 'https://shop.example/pay' });
  const second = retry(1, { q1: accept('Ada') }, new CallerRequest({ elicitation: { form: {} } }));
  await scene.clock.advance(15);
  expect(up.answers).toMatchObject([accept('Ada'), { code: -32601 }, { action: 'cancel' }]);
  expect(second.ended).toBeUndefined();
});

test.each<[string, JsonObject, number]>([
  ['sampling/createMessage', { messages: [], maxTokens: 1 }, -32601],
  ['elicitation/create', { mode: 'url', message: 'Pay', url: 'https://shop.example/pay' }, -32602],
  [
    'elicitation/create',
    { ...form, requestedSchema: { type: 'object', properties: { password: { type: 'string' } } } },
    -32602,
  ],
  ['elicitation/create', { message: 'x'.repeat(70_000), requestedSchema: form.requestedSchema }, -32602],
  ['elicitation/create', { message: 'Who?', requestedSchema: { type: 'object' } }, -32602],
  ['elicitation/create', { requestedSchema: form.requestedSchema }, -32602],
])('an upstream that asks a caller for %s which it must not ask gets an error', async (method, params, code) => {
  verifies('ELIC-5');
  const { scene, up, first } = start();
  const narrow = scene.create();
  const side = new UpstreamSide();
  const caller = new CallerRequest({ elicitation: { form: {} } }).for((attached) => narrow.begin(side.send, attached));
  side.ask(method, params);
  await scene.clock.advance(15);
  expect([side.answers, caller.ended, first.ended]).toEqual([
    [expect.objectContaining({ code })],
    undefined,
    undefined,
  ]);
  expect(up.answers).toEqual([]);
});

test.each<[string, boolean]>([
  ['https://shop.example/pay?id=1', true],
  ['https://SHOP.example/pay', true],
  ['https://a.pay.example/', true],
  ['https://pay.example/', false],
  ['https://evilpay.example/', false],
  ['http://shop.example/pay', false],
  ['https://shop.example.evil.example/', false],
  ['https://ada:secret@shop.example/', false],
  ['javascript:alert(1)', false],
  ['/pay', false],
])('the page %s can be asked for: %s', async (url, isAllowed) => {
  const questions = { visit: { hosts: ['shop.example', '*.pay.example'] } };
  const { scene, up, first } = start({}, undefined, { questions });
  up.ask('elicitation/create', { mode: 'url', message: 'Pay', url, elicitationId: 'e1' });
  await scene.clock.advance(15);
  expect(first.ended).toBe(isAllowed ? 'asks q1' : undefined);
  expect(up.answers).toEqual(isAllowed ? [] : [expect.objectContaining({ code: -32602 })]);
});

test.each<[string, Partial<WaitingLimits>, Partial<WaitingCallSettings>[]]>([
  ['a node', { maxCalls: 1 }, [{}, { principal: 'bob' }]],
  ['a caller', { maxCallsPerCaller: 1 }, [{}, {}]],
  ['an upstream', {}, [{ maxWaitingCalls: 1 }, { maxWaitingCalls: 1, principal: 'bob' }]],
])(
  'more calls than %s can have do not wait: new questions are cancelled, and nothing running is dropped',
  async (_what, limits, facts) => {
    const scene = new WaitingScene(limits);
    const [one, two] = facts.map((own) => start({}, scene, own)) as [Started, Started]; // each row has two
    one.up.ask();
    two.up.ask();
    two.up.ask('roots/list', {});
    await scene.clock.advance(15);
    expect(two.up.answers).toMatchObject([{ action: 'cancel' }, { code: -1 }]);
    expect([one.first.ended, two.first.ended, scene.calls.size]).toEqual(['asks q1', undefined, 1]);
  },
);

test('one call cannot have more than 32 questions open', async () => {
  const { scene, up, first } = start();
  for (let count = 0; count < 40; count++) up.ask();
  await scene.clock.advance(15);
  expect(up.answers).toEqual(Array(8).fill({ action: 'cancel' }));
  expect(first.ended?.split(' ').length).toBe(33);
});

test('progress that was reported while no request was open is told first after the retry', async () => {
  const { scene, up, first, retry } = start();
  up.report(1);
  up.ask();
  await scene.clock.advance(15);
  up.report(2);
  up.report(3);
  const second = retry(1, { q1: accept('Ada') });
  up.report(4);
  expect([first.reports, second.reports]).toEqual([[1], [3, 4]]);
});

test('a node that drains ends its waiting calls as if their time was over; one that closes cancels them', async () => {
  const [one, two] = [await asked(), await asked()];
  const drained = one.scene.calls.drain(0);
  await one.scene.clock.advance(2_000);
  await drained;
  expect([one.up.answers, one.up.aborted, one.scene.ends]).toEqual([[{ action: 'cancel' }], true, ['expired']]);
  await two.scene.calls.close();
  expect([two.up.answers, two.up.aborted, two.scene.ends]).toEqual([[{ action: 'cancel' }], true, ['cancelled']]);
});

test('policy that denies a call meanwhile cancels it upstream', async () => {
  const { scene, up, call } = await asked();
  scene.calls.abandon(call.id);
  scene.calls.abandon('unknown');
  await scene.clock.advance(0);
  expect([up.aborted, scene.ends]).toEqual([true, ['cancelled']]);
});

test('a method that is no question is answered with −32601', async () => {
  const { scene, up, first } = start();
  up.ask('tools/list', {});
  await scene.clock.advance(15);
  expect([up.answers, first.ended]).toEqual([[expect.objectContaining({ code: -32601 })], undefined]);
});
