/** PageQuestions without HTTP: which answers are accepted, when questions close, and how long they were open. */
import { expect, test } from 'vitest';
import type { ConsentQuestion } from '../host/index.ts';
import { MASK } from '../model/secrets.ts';
import { virtualClock } from '../testing/virtual-clock.ts';
import { EventFeed } from './event-feed.ts';
import { PageQuestions } from './page-questions.ts';
import type { AnswerValue } from './protocol-questions.ts';
import { answerVerbs } from './verbs/answers.ts';
import type { Workbench } from './workbench.ts';

const form = { kind: 'form', server: 'shop', message: 'Name?', requestedSchema: {}, values: {}, warnings: [] } as const;

function setUp() {
  const clock = virtualClock();
  const told: string[] = [];
  const feed = new EventFeed('p');
  feed.read({ write: (text) => void told.push(text) }, undefined);
  const scrub = <T>(_: string, value: T): T =>
    JSON.parse(JSON.stringify(value).replaceAll('hunter2', MASK)) as typeof value; // of the same shape
  const ruleIndex = (rule: string): number | undefined => (rule === 'ask { name: pay }' ? 1 : undefined);
  const questions = new PageQuestions({ feed, clock, scrub, scrubAct: scrub, ruleIndex });
  const last = (): string => questions.open.at(-1)?.id ?? '';
  const act = { kind: 'tool', server: 'shop', name: 'pay', arguments: { to: 'Ada', token: 'hunter2' } };
  const consent = (signal = new AbortController().signal, more: Partial<ConsentQuestion> = {}) =>
    questions.hostConsent.ask(
      {
        ...{ id: 'x', act, binding: 'b1', rule: 'none', editable: true },
        ...{ why: 'the token is hunter2', warnings: ['it says "hunter2"'] },
        ...more,
      } as unknown as ConsentQuestion,
      signal,
    ); // the members that it reads
  return { clock, told, questions, last, consent };
}

test('a question accepts its first answer of the right kind, and no other', async () => {
  const { questions, last, told } = setUp();
  const asked = questions.ask(form, undefined);
  const id = last();
  const cancel: AnswerValue = { kind: 'form', action: 'cancel' };
  const others: [string, AnswerValue][] = [
    ['', cancel],
    ['__proto__', cancel],
    [id.toUpperCase(), cancel],
    [id, { kind: 'input', action: 'accept', text: 'x' }],
  ];
  expect(others.map(([one, value]) => questions.answer(one, value))).toEqual([false, false, false, false]);
  expect(questions.consent(id, '', { allow: true })).toBe(false);
  expect([questions.answer(id, cancel), questions.answer(id, cancel)]).toEqual([true, false]);
  expect([await asked, questions.open]).toEqual([cancel, []]);
  expect(told.join()).toContain(`"why":"answered"`);
});

test('a consent is accepted only with the binding that was shown, and masked arguments get their secrets back', async () => {
  const { questions, last, consent } = setUp();
  const asked = consent();
  const shown = { why: `the token is ${MASK}`, warnings: [`it says "${MASK}"`], act: { arguments: { token: MASK } } };
  expect(questions.open).toMatchObject([shown]);
  expect(JSON.stringify(questions.open)).not.toContain('hunter2');
  for (const binding of ['', 'b2', 'B1']) expect(questions.consent(last(), binding, { allow: true })).toBe(false);
  const changed = { to: 'Bob', token: MASK };
  expect(questions.consent(last(), 'b1', { allow: true, arguments: changed })).toBe(true);
  expect(await asked).toEqual({ allow: true, binding: 'b1', arguments: { to: 'Bob', token: 'hunter2' } });
});

test('a consent without changed arguments leaves them as they are', async () => {
  const { questions, last, consent } = setUp();
  const asked = consent();
  questions.consent(last(), 'b1', { allow: true, reason: 'fine' });
  expect(await asked).toStrictEqual({ allow: true, reason: 'fine', binding: 'b1' });
});

test('a form gets the content that the user sent, or that the user declined', async () => {
  const { questions, last } = setUp();
  const { signal } = new AbortController();
  const ask = () =>
    questions.handler.form({ ...form, fault: undefined, requestedSchema: { type: 'object', properties: {} } }, signal);
  for (const answer of [{ action: 'accept', content: { name: 'Ada' } }, { action: 'decline' }] as const) {
    const asked = ask();
    questions.answer(last(), { kind: 'form', ...answer });
    expect(await asked).toStrictEqual(answer);
  }
});

test('an input gets the text that the user typed, and none if the user cancels', async () => {
  const { questions, last } = setUp();
  const ask = () =>
    questions.inputs(
      { id: 'key', description: 'API key', password: true, default: undefined, options: undefined },
      { server: 'shop' },
    );
  const typed = ask();
  expect(questions.open).toMatchObject([{ kind: 'input', server: 'shop', description: 'API key', password: true }]);
  questions.answer(last(), { kind: 'input', action: 'accept', text: 'sesame' });
  expect(await typed).toBe('sesame');
  const cancelled = ask();
  questions.answer(last(), { kind: 'input', action: 'cancel' });
  await expect(cancelled).rejects.toMatchObject({
    code: 'MCP_CANCELLED',
    message: expect.stringContaining('no value was given for "key"'),
  });
});

test('a form and a request for a model are shown without secrets', async () => {
  const { questions } = setUp();
  const schema = { type: 'object', properties: {} } as const;
  const over = new AbortController();
  const shownForm = { ...form, message: 'Is hunter2 right?', fault: undefined, requestedSchema: schema };
  void questions.handler.form(shownForm, over.signal);
  const request = { messages: [{ role: 'user', content: [{ type: 'text', text: 'Repeat hunter2' }] }], maxTokens: 1 };
  const reply = questions.userAsModel.reply(request as never, { signal: over.signal }); // the members that it reads
  expect(questions.open).toMatchObject([
    { kind: 'form', message: `Is ${MASK} right?` },
    { kind: 'sampling', request: { messages: [{ content: [{ text: `Repeat ${MASK}` }] }] } },
  ]);
  over.abort();
  await expect(reply).rejects.toMatchObject({ code: 'MCP_CANCELLED' });
});

test('a consent names the rule that asks with its place in the policy, and says whether an answer can be remembered', () => {
  const { questions, consent } = setUp();
  const { signal } = new AbortController();
  void consent(signal, { rule: 'ask { name: pay }', canRemember: true });
  void consent(signal, { rule: 'the lock', canRemember: false });
  expect(questions.open).toMatchObject([
    { rule: 'ask { name: pay }', ruleIndex: 1, canRemember: true },
    { rule: 'the lock', ruleIndex: undefined, canRemember: false },
  ]);
});

test('200 questions are open at a time; what is asked beyond is declined, and so is what was cancelled before', async () => {
  const { questions, consent, told } = setUp();
  for (let n = 0; n < 200; n++) void questions.ask(form, undefined);
  expect(questions.open).toHaveLength(200);
  const before = told.length;
  expect(await questions.ask(form, undefined)).toBeUndefined();
  expect(await consent()).toEqual({ allow: false, reason: 'the question was closed without an answer' });
  expect(
    await questions.handler.form(
      { ...form, fault: undefined, requestedSchema: { type: 'object', properties: {} } },
      AbortSignal.abort(),
    ),
  ).toEqual({ action: 'cancel' });
  questions.answer(questions.open[0]?.id ?? '', { kind: 'form', action: 'cancel' });
  expect(await consent(AbortSignal.abort())).toMatchObject({ allow: false });
  expect(told).toHaveLength(before + 1);
  void questions.ask(form, undefined);
  expect(questions.open).toHaveLength(200);
});

test('a question whose act is cancelled is over, and its answer is not taken', async () => {
  const { questions, last, consent, told } = setUp();
  const over = new AbortController();
  const asked = consent(over.signal);
  const id = last();
  over.abort();
  expect(await asked).toMatchObject({ allow: false });
  expect(questions.consent(id, 'b1', { allow: true })).toBe(false);
  expect(told.at(-1)).toContain('"why":"cancelled"');
});

test('a question for the terminal is shown in pages, but pages cannot answer it', async () => {
  const { questions, last } = setUp();
  let say = (_: boolean): void => undefined;
  const said = new Promise<boolean>((resolve) => {
    say = resolve;
  });
  const asked = questions.askInTerminal({ kind: 'reveal', server: 'shop', what: '/password' }, () => said);
  const id = last();
  expect(questions.answer(id, { kind: 'reveal', action: 'accept' } as unknown as AnswerValue)).toBe(false); // as no page can
  say(false);
  await expect(asked).rejects.toMatchObject({
    code: 'MCP_CANCELLED',
    message: expect.stringContaining('nothing was shown'),
  });
  expect(questions.open).toEqual([]);
});

test('a command that is declined in the terminal is not started, and one that is confirmed is', async () => {
  const { questions } = setUp();
  const ask = (isAllowed: boolean) =>
    questions.askInTerminal(
      { kind: 'command', server: 'shop', commandLine: 'node shop.mjs', variables: [] },
      async () => isAllowed,
    );
  await expect(ask(false)).rejects.toThrow(/Adding the command.*nothing was started/);
  await ask(true);
});

test('a visit ends with what the user says, or when the server says that it is done', async () => {
  const { questions, last } = setUp();
  const { signal } = new AbortController();
  const visit = (completed: Promise<void>) =>
    questions.handler.visiting?.({ server: 'shop', url: 'https://a', host: 'a', completed }, signal);
  const never = new Promise<void>(() => undefined);
  for (const action of ['done', 'again', 'cancel'] as const) {
    const asked = visit(never);
    questions.answer(last(), { kind: 'visit', action });
    expect(await asked).toBe(action);
  }
  expect(await visit(Promise.resolve())).toBe('done');
  expect(questions.open).toEqual([]);
});

test('a user who speaks for the model, or gives a value, can decline; a question that is over declines too', async () => {
  const { questions, last } = setUp();
  const request = { model: 'you', messages: [], maxTokens: 1 };
  const over = new AbortController();
  const [declined, ended, said] = [
    questions.userAsModel.reply(request),
    questions.userAsModel.reply(request, { signal: over.signal }),
    questions.userAsModel.reply(request),
  ];
  questions.answer(last(), { kind: 'sampling', action: 'accept', text: 'Hi' });
  over.abort();
  questions.answer(last(), { kind: 'sampling', action: 'decline' });
  const cancelled = { code: 'MCP_CANCELLED' };
  await expect(declined).rejects.toMatchObject(cancelled);
  await expect(ended).rejects.toMatchObject(cancelled);
  expect(await said).toMatchObject({ model: 'you', content: [{ type: 'text', text: 'Hi' }] });
});

test('waitedMs() adds up the last 1,000 questions of a server, and its open ones', async () => {
  const { questions, clock, last } = setUp();
  const from = clock.wall();
  const cancel = (): unknown => questions.answer(last(), { kind: 'form', action: 'cancel' });
  for (let n = 0; n < 1_001; n++) {
    void questions.ask(form, undefined);
    await clock.advance(2);
    cancel();
  }
  expect(questions.waitedMs('shop', from, clock.wall())).toBe(2_000);
  void questions.ask(form, undefined);
  await clock.advance(3);
  expect(questions.waitedMs('shop', from, clock.wall())).toBe(2_003);
  expect(questions.waitedMs('shop', clock.wall() - 1, clock.wall())).toBe(1);
  expect(questions.waitedMs('bank', from, clock.wall())).toBe(0);
});

test('waitedMs() counts the time of two questions that are open at once only once', async () => {
  const { questions, clock, last } = setUp();
  const from = clock.wall();
  void questions.ask(form, undefined);
  const first = last();
  await clock.advance(10);
  void questions.ask(form, undefined);
  await clock.advance(10);
  questions.answer(first, { kind: 'form', action: 'cancel' });
  await clock.advance(5);
  expect(questions.waitedMs('shop', from, clock.wall())).toBe(25);
  questions.answer(last(), { kind: 'form', action: 'cancel' });
  await clock.advance(100);
  expect(questions.waitedMs('shop', from, clock.wall())).toBe(25);
  expect(questions.waitedMs('shop', from + 15, from + 22)).toBe(7);
});

test('waitedMs() counts a question that opens and closes during another one only once', async () => {
  const { questions, clock, last } = setUp();
  const from = clock.wall();
  void questions.ask(form, undefined);
  const outer = last();
  await clock.advance(10);
  void questions.ask(form, undefined);
  await clock.advance(10);
  questions.answer(last(), { kind: 'form', action: 'cancel' });
  await clock.advance(80);
  questions.answer(outer, { kind: 'form', action: 'cancel' });
  expect(questions.waitedMs('shop', from, clock.wall())).toBe(100);
});

test.each<[unknown, boolean]>([
  [{ kind: 'form', action: 'accept', content: {} }, true],
  [{ kind: 'form', action: 'decline' }, true],
  [{ kind: 'sampling', action: 'accept', text: 'Hi' }, true],
  [{ kind: 'form', action: 'accept' }, false],
  [{ kind: 'sampling', action: 'accept' }, false],
  [{ kind: 'sampling', action: ['decline'] }, false],
  [{ kind: 'form', action: ['accept'] }, false],
  [{ kind: 'form', action: 'done' }, false],
  [{ kind: 'consent', action: 'accept', answer: { allow: true } }, false],
  [{ kind: ['form'], action: 'decline' }, false],
  [{ kind: '__proto__', action: 'accept' }, false],
  [null, false],
])('a page can answer a question with %j: %s', (value, isAccepted) => {
  const { questions } = setUp();
  const { answer } = answerVerbs({ questions } as unknown as Workbench); // the members that it reads
  expect(answer?.params({ question: 'x', value }, 'params') === undefined).toBe(isAccepted);
});
