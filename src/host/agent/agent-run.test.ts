import { expect, test } from 'vitest';
import { McpError } from '../../errors.ts';
import { createHost } from '../create-host.ts';
import { scriptedModel } from '../models/scripted.ts';
import { AgentRunEvents } from './agent-run.ts';
import type { AgentEvent } from './events.ts';

const done: AgentEvent = { type: 'done', text: 'Hello', stopReason: 'end' };

function runOf(...events: readonly AgentEvent[]) {
  const steps: string[] = [];
  async function* work(): AsyncGenerator<AgentEvent, void> {
    steps.push('begun');
    try {
      yield* events;
    } finally {
      steps.push('ended');
    }
  }
  return { steps, run: new AgentRunEvents(work()) };
}

test('a run that is awaited works to its end, and resolves to its last event', async () => {
  const { run, steps } = runOf({ type: 'text', text: 'Hel' }, done);
  expect(steps).toEqual([]);
  expect(await run).toEqual(done);
  expect(await run).toEqual(done);
  expect(steps).toEqual(['begun', 'ended']);
});

test('a run that is awaited rejects with the error of its last event', async () => {
  const error = new McpError('MCP_CLOSED', { why: 'gone' });
  await expect(runOf({ type: 'error', error }).run).rejects.toBe(error);
});

test('a run that is read yields every event, and can be awaited after them', async () => {
  const { run, steps } = runOf({ type: 'text', text: 'Hel' }, done);
  const seen: string[] = [];
  for await (const { type } of run) seen.push(type);
  expect([seen, await run, steps]).toEqual([['text', 'done'], done, ['begun', 'ended']]);
});

test('a run whose event loop was exited early is cancelled, and rejects when it is awaited', async () => {
  const { run, steps } = runOf({ type: 'text', text: 'Hel' }, done);
  for await (const _ of run) break;
  expect(steps).toEqual(['begun', 'ended']);
  await expect(run).rejects.toMatchObject({ code: 'MCP_CANCELLED' });
});

test('session.run can be awaited: the model is asked, and the conversation is kept', async () => {
  await using host = createHost({ servers: {}, model: scriptedModel(['Hello']), policy: [] });
  await using session = host.session();
  expect((await session.run('Hi')).text).toBe('Hello');
  expect(session.messages).toHaveLength(2);
});
