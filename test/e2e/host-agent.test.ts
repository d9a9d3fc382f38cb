/** An agent with a child-process server and a provider on a socket: calls, consent, denials, retries, cancellation. */
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import {
  type AgentEvent,
  type AuditRecord,
  createHost,
  memoryAudit,
  openai,
  rules,
  scriptedModel,
} from '../../src/host/index.ts';
import type { JsonObject } from '../../src/jsonrpc/message.ts';
import { eventually } from '../support/children.ts';
import { chunks, type FakeAnswer, fakeProvider } from '../support/fake-provider.ts';
import { verifies } from '../support/verifies.ts';

const clerk = fileURLToPath(new URL('../fixtures/host/clerk.mjs', import.meta.url));
const KEY = 'sk-live-0123456789abcdef';

const calls = (name: string, args: JsonObject): FakeAnswer => {
  const called = {
    index: 0,
    id: `c-${name}`,
    type: 'function',
    function: { name: `desk__${name}`, arguments: JSON.stringify(args) },
  };
  return {
    pieces: chunks(
      { model: 'm', choices: [{ index: 0, delta: { tool_calls: [called] }, finish_reason: null }] },
      { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
      { choices: [], usage: { prompt_tokens: 10, completion_tokens: 5 } },
    ),
  };
};
const says = (text: string): FakeAnswer => ({
  pieces: chunks({ model: 'm', choices: [{ index: 0, delta: { content: text }, finish_reason: 'stop' }] }),
});

/** The last message that the model received. */
const lastOf = (body: JsonObject = {}): string => JSON.stringify((body['messages'] as JsonObject[]).at(-1)); // as they are sent

test('a run reads, asks, is refused, tries again, has the server ask, and is stopped', async () => {
  verifies('HOST-5', 'HOST-16', 'HOST-17');
  await using provider = await fakeProvider([
    calls('order', { id: 'A-1' }),
    calls('refund', { id: 'A-1' }),
    calls('refund', { id: 'A-1' }),
    calls('thank', {}),
    says('You are welcome'),
    says('All done.'),
    calls('wait', {}),
  ]);
  const audit = memoryAudit();
  const asked: string[] = [];
  await using host = createHost({
    servers: { desk: { command: process.execPath, args: [clerk] } },
    policy: [rules.allow({ kind: 'tool', name: ['order', 'thank', 'wait'] })],
    model: openai({ apiKey: KEY, baseUrl: provider.origin, model: 'm' }),
    questions: { form: async () => ({ action: 'accept', content: { amount: 40 } }) },
    consent: ({ act }) => {
      asked.push(`${act.kind} ${act.kind === 'spawn' ? 'clerk' : act.name}`);
      return { allow: asked.filter((one) => one === 'tool refund').length !== 1 };
    },
    audit,
    health: false,
  });
  const session = host.session({ principal: 'ada' });
  const events: AgentEvent[] = [];
  for await (const event of session.run('Refund A-1')) events.push(event);
  expect(events.at(-1)).toEqual({ type: 'done', text: 'All done.', stopReason: 'endTurn' });
  expect(asked).toEqual([
    ...['spawn clerk', 'tool refund', 'tool refund', 'elicitation form'],
    ...['sampling request', 'sampling answer'],
  ]);
  expect(lastOf(provider.asked[2]?.body)).toContain('denied');
  expect(lastOf(provider.asked[3]?.body)).toContain('A-1: accept 40');
  expect(lastOf(provider.asked[4]?.body)).toContain('Say thanks');
  expect(lastOf(provider.asked[5]?.body)).toContain('thanked with You are welcome');

  const heard = (what: string): boolean => host.servers.get('desk')?.log.some((line) => line.includes(what)) === true;
  for await (const event of session.run('Wait')) {
    if (event.type !== 'tool-start') continue;
    await eventually('the server is at it', () => heard('waiting'));
    break;
  }
  await eventually('the server hears of it', () => heard('called off true'));
  expect(JSON.stringify(audit.records)).not.toContain(KEY);
  expect(unexplained(audit.records)).toEqual([]);
});

/** Acts that began and have no end on record. */
const unexplained = (records: readonly AuditRecord[]): string[] =>
  records
    .filter(({ phase, allowed, act }) => phase === 'decided' && allowed && act.kind !== 'spawn')
    .filter(({ id }) => !records.some((other) => other.id === id && other.phase !== 'decided'))
    .map(({ act }) => act.name);

test('the result of a call whose server crashed names the server and its exit code, for the application and for the model', async () => {
  const model = scriptedModel([[{ type: 'tool_use', id: '1', name: 'desk__crash', input: {} }], 'Sorry.']);
  await using host = createHost({
    servers: { desk: { command: process.execPath, args: [clerk] } },
    policy: [rules.allow({})],
    model,
    health: false,
    onWarning: () => undefined,
  });
  const results: AgentEvent[] = [];
  for await (const event of host.session().run('Crash')) if (event.type === 'tool-result') results.push(event);
  const text =
    'The connection to the server "desk" was lost (code 9). Check whether the call took effect before you repeat it';
  expect(results).toMatchObject([{ id: '1', name: 'desk.crash', text, isError: true }]);
  expect(JSON.stringify(model.requests[1]?.messages.at(-1))).toContain('\\"desk\\" was lost (code 9)');
});
