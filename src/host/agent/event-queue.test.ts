import { expect, test } from 'vitest';
import { EventQueue } from './event-queue.ts';
import type { AgentEvent } from './events.ts';

const text = (chunk: string): AgentEvent => ({ type: 'text', text: chunk });
const progress = (id: string, done: number): AgentEvent => ({ type: 'progress', id, name: 'a.b', progress: done });
const result: AgentEvent = { type: 'tool-result', id: '1', name: 'a.b', text: 'ok', isError: false };

async function all(queue: EventQueue): Promise<readonly AgentEvent[]> {
  queue.end();
  const events: AgentEvent[] = [];
  for await (const event of queue) events.push(event);
  return events;
}

test('an event queue yields each event to a reader that keeps up', async () => {
  const queue = new EventQueue();
  const pushed = [text('a'), text('b'), progress('1', 1), progress('1', 2), result];
  for (const event of pushed) queue.push(event);
  expect(await all(queue)).toEqual(pushed);
});

test('while the application does not read, each call keeps its last progress report', async () => {
  const queue = new EventQueue();
  for (let done = 0; done < 100_000; done++) queue.push(progress(String(done % 2), done));
  queue.push(result);
  const events = await all(queue);
  expect(events.length).toBeLessThan(300);
  expect(events.slice(-3)).toEqual([progress('0', 99_998), progress('1', 99_999), result]);
});

test('while the application does not read, text is joined, and nothing of it is lost', async () => {
  const queue = new EventQueue();
  for (let chunk = 0; chunk < 100_000; chunk++) queue.push(text(`${chunk} `));
  queue.push(result);
  queue.push(text('after'));
  const events = await all(queue);
  expect(events.length).toBeLessThan(300);
  expect(events.slice(-2)).toEqual([result, text('after')]);
  const joined = events.map((event) => (event.type === 'text' ? event.text : '')).join('');
  expect(joined).toBe(`${Array.from({ length: 100_000 }, (_, chunk) => `${chunk} `).join('')}after`);
});

test('every other event is kept, whatever their number', async () => {
  const queue = new EventQueue();
  for (let call = 0; call < 1_000; call++) queue.push({ ...result, id: String(call) });
  expect(await all(queue)).toHaveLength(1_000);
});

test('a report of a later call with the same id stays behind the start of this call', async () => {
  const queue = new EventQueue();
  for (let call = 0; call < 300; call++) queue.push({ ...result, id: String(call) });
  const start: AgentEvent = { type: 'tool-start', id: '1', name: 'a.b', arguments: {} };
  for (const event of [progress('1', 1), result, start, progress('1', 2), progress('1', 3)]) queue.push(event);
  expect((await all(queue)).slice(300)).toEqual([progress('1', 1), result, start, progress('1', 3)]);
});
