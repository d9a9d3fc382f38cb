import { expect, test } from 'vitest';
import { settled } from '../../../test/support/held-clock.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import { Deferred } from '../../peer/wait.ts';
import type { LiveConnection } from '../live-connection.ts';
import type { QuestionHandlers } from '../question-handlers.ts';
import { TaskQuestions } from './task-questions.ts';

const question = (message: string) => ({ method: 'elicitation/create', params: { message } });
const live = { server: { capabilities: {} }, revision: {} } as unknown as LiveConnection; // what a question needs of it
const signal = new AbortController().signal;

/** Questions whose answers the test decides. */
function asking(answered: Set<string> = new Set(), accepted: Promise<void> = Promise.resolve()) {
  const asked: { params: JsonObject; resolve(answer: JsonObject): void; reject(error: Error): void }[] = [];
  const sent: JsonObject[] = [];
  const answer = ({ params }: { params: JsonObject }): Promise<JsonObject> =>
    new Promise((resolve, reject) => asked.push({ params, resolve, reject }));
  const send = async (responses: JsonObject): Promise<void> => {
    sent.push(responses);
    await accepted;
  };
  const handlers = { answer } as unknown as QuestionHandlers; // the part that is used
  const questions = new TaskQuestions({ taskId: 't', questions: handlers, answered, send });
  return { questions, asked, sent, answered };
}

test('a question is asked once, while the user answers and afterwards', async () => {
  const it = asking();
  const first = it.questions.answer({ q: question('Sure?') }, live, signal);
  expect(await it.questions.answer({ q: question('Sure?') }, live, signal)).toBe(false);
  expect([it.asked.length, it.questions.isAsking]).toEqual([1, true]);
  it.asked[0]?.resolve({ action: 'accept' });
  expect(await first).toBe(true);
  expect([it.sent, [...it.answered], it.questions.isAsking]).toEqual([[{ q: { action: 'accept' } }], ['q'], false]);
  expect(await it.questions.answer({ q: question('Sure?') }, live, signal)).toBe(false);
  expect(it.asked).toHaveLength(1);
});

test('a question is open until the server has accepted its answer', async () => {
  const accepted = new Deferred<void>();
  const it = asking(new Set(), accepted.promise);
  const answering = it.questions.answer({ q: question('Sure?') }, live, signal);
  it.asked[0]?.resolve({ action: 'accept' });
  await settled();
  expect([it.sent.length, [...it.answered], it.questions.isAsking]).toEqual([1, [], true]);
  accepted.resolve();
  expect(await answering).toBe(true);
  expect([[...it.answered], it.questions.isAsking]).toEqual([['q'], false]);
});

test('a question that the ticket names as answered is not asked again', async () => {
  const it = asking(new Set(['q']));
  expect(await it.questions.answer({ q: question('Sure?') }, live, signal)).toBe(false);
  expect(it.asked).toEqual([]);
});

test('a different question under a known key is rejected, before anyone is asked', async () => {
  const it = asking();
  void it.questions.answer({ q: question('Sure?') }, live, signal);
  await expect(it.questions.answer({ q: question('Pay all?') }, live, signal)).rejects.toThrow(
    'The result of tasks/get is malformed: it asks two different questions under the key "q"',
  );
  expect(it.asked).toHaveLength(1);
});

test('questions are open at once, and one whose handler fails can be asked again', async () => {
  const it = asking();
  const both = it.questions.answer({ a: question('A?'), b: question('B?') }, live, signal);
  await settled();
  expect(it.asked).toHaveLength(2);
  it.asked[0]?.reject(new Error('closed'));
  await expect(both).rejects.toThrow();
  it.asked[1]?.resolve({ action: 'decline' });
  await settled();
  expect([it.sent, it.questions.isAsking]).toEqual([[{ b: { action: 'decline' } }], false]);
  void it.questions.answer({ a: question('A?'), b: question('B?') }, live, signal);
  await settled();
  expect(it.asked.map(({ params }) => params['message'])).toEqual(['A?', 'B?', 'A?']);
});

test('an answer after the end of the task is not sent', async () => {
  const it = asking();
  const control = new AbortController();
  const answering = it.questions.answer({ q: question('Sure?') }, live, control.signal);
  await settled();
  control.abort(new Error('over'));
  it.asked[0]?.resolve({ action: 'accept' });
  await expect(answering).rejects.toThrow('over');
  expect([it.sent, [...it.answered]]).toEqual([[], []]);
});

test('a key has at most 256 characters, and a task at most a thousand questions', async () => {
  const it = asking();
  const open = (...keys: string[]) =>
    it.questions.answer(Object.fromEntries(keys.map((key) => [key, question(key)])), live, signal);
  void open('k'.repeat(256));
  await expect(open('k'.repeat(257))).rejects.toThrow(/256 characters/);
  void open(...Array.from({ length: 999 }, (_, at) => `q${at}`));
  await settled();
  expect(it.asked).toHaveLength(1_000);
  await expect(open('more')).rejects.toMatchObject({ code: 'MCP_TOO_MANY_ROUNDS', details: { rounds: 1_001 } });
  expect(it.asked).toHaveLength(1_000);
});
