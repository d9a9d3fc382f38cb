/** The open questions of one call: limits, and which answers close them. */
import { expect, test } from 'vitest';
import { revisions } from '../../revisions/index.ts';
import type { QuestionRoute } from './carry-question.ts';
import { WaitingQuestions } from './waiting-questions.ts';

const [revision] = revisions;
if (revision === undefined) throw new Error('there is one');
const requestedSchema = { type: 'object', properties: { ok: { type: 'boolean' } } };
const form = { method: 'elicitation/create', params: { message: 'Sure?', requestedSchema } };
const route: QuestionRoute = { label: 'shop', settings: {}, capabilities: { elicitation: { form: {} } }, revision };
const back = { from: revision, to: revision };
const accepted = { action: 'accept', content: { ok: true } };

test('a question that the upstream cancels makes room for another', async () => {
  const questions = new WaitingQuestions();
  const cancel = new AbortController();
  const cancelled = questions.add(form, cancel.signal);
  while (!questions.isFull) void questions.add(form, new AbortController().signal);
  expect(questions.size).toBe(32);
  cancel.abort();
  await expect(cancelled).rejects.toThrow('The question was cancelled');
  expect([questions.size, questions.isFull]).toEqual([31, false]);
});

test('a question that was cancelled before it was added is not shown', async () => {
  const questions = new WaitingQuestions();
  await expect(questions.add(form, AbortSignal.abort())).rejects.toThrow('The question was cancelled');
  expect(questions.size).toBe(0);
});

test('an answer counts only for the question that it names as its own member', async () => {
  const questions = new WaitingQuestions();
  const first = questions.add(form, new AbortController().signal);
  void questions.add(form, new AbortController().signal);
  expect(Object.keys(questions.show(route))).toEqual(['q1', 'q2']);
  const answers = Object.assign(Object.create({ q2: accepted }), { q1: accepted });
  const heard: string[] = [];
  questions.answer(answers, back, (method) => heard.push(method));
  expect(await first).toEqual(accepted);
  expect([heard, questions.size]).toEqual([['elicitation/create'], 1]);
});
