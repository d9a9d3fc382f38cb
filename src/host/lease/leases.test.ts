/** Tests permissions for answers, and the decisions that the gate foresees. */
import { expect, test } from 'vitest';
import { act } from '../../../test/support/acts.ts';
import { RpcError } from '../../errors.ts';
import { failure, type JsonObject, request } from '../../jsonrpc/message.ts';
import type { Act } from '../act/act.ts';
import { memoryAudit } from '../audit/memory-audit.ts';
import { GateKeeper } from '../gate/gate-keeper.ts';
import { rules } from '../policy/rules.ts';
import { Leases } from './leases.ts';

async function opened(policy = [rules.allow({})]): Promise<GateKeeper> {
  const gate = new GateKeeper({ policy });
  await gate.pass(act({ kind: 'connect' }), async () => undefined);
  return gate;
}

test('permission to ask a model sends nothing to the server, and permission to answer does, once', async () => {
  const gate = await opened();
  const answer = { role: 'assistant', content: { type: 'text', text: 'hi' }, model: 'm' };
  const question = { method: 'sampling/createMessage', params: {} };
  await gate.pass(act({ kind: 'sampling', name: 'request', arguments: answer }), async () => undefined);
  expect(gate.leases.useAnswer('files', question, answer)).toBe(false);
  await gate.pass(act({ kind: 'sampling', name: 'answer', arguments: answer }), async () => undefined);
  expect(gate.leases.useAnswer('files', question, answer)).toBe(true);
  expect(gate.leases.useAnswer('files', question, answer)).toBe(false);
});

test('a server that was ended gets no answer, and no refusal either', async () => {
  const gate = await opened();
  const question = { method: 'elicitation/create', params: {} };
  expect(gate.leases.useAnswer('files', question, { action: 'decline' })).toBe(true);
  gate.leases.endServer('files');
  expect(gate.leases.useAnswer('files', question, { action: 'decline' })).toBe(false);
});

test('a user who agreed to a visit has answered the question about this URL, and no other', async () => {
  const gate = await opened();
  const agreed = { action: 'accept' };
  const asked = (url: string): { method: string; params: { url: string } } => ({
    method: 'elicitation/create',
    params: { url },
  });
  await gate.pass(act({ kind: 'visit', name: 'https://a.test/', arguments: agreed }), async () => undefined);
  expect(gate.leases.useAnswer('files', asked('https://b.test/'), agreed)).toBe(false);
  expect(gate.leases.useAnswer('files', asked('https://a.test/'), { ...agreed, content: { name: 'x' } })).toBe(false);
  expect(gate.leases.useAnswer('files', asked('https://a.test/'), agreed)).toBe(true);
});

test('a permission answers questions of its own kind, and a visit those about its page', () => {
  const leases = new Leases();
  leases.open(act({ kind: 'connect' }));
  const url = 'https://a.test/';
  const answer = { action: 'accept' };
  const asked = (method: string): JsonObject => ({ method, params: { url } });
  leases.open(act({ kind: 'roots', name: url, arguments: answer }));
  expect(leases.useAnswer('files', asked('elicitation/create'), answer)).toBe(false);
  leases.open(act({ kind: 'visit', name: url, arguments: answer }));
  expect(leases.useAnswer('files', asked('sampling/createMessage'), answer)).toBe(false);
  expect(leases.useAnswer('files', asked('elicitation/create'), answer)).toBe(true);
});

test('a page that a view opens answers no question of the server', () => {
  const leases = new Leases();
  leases.open(act({ kind: 'connect' }));
  const url = 'https://a.test/';
  const question = { method: 'elicitation/create', params: { url } };
  leases.open(act({ kind: 'visit', by: 'app', name: url, arguments: { action: 'accept' } }));
  expect(leases.useAnswer('files', question, { action: 'accept' })).toBe(false);
});

test('an answer whose act failed is not sent', () => {
  const leases = new Leases();
  leases.open(act({ kind: 'connect' }));
  const [first, second] = [{ roots: ['a'] }, { roots: ['b'] }];
  leases.open(act({ kind: 'roots', arguments: first })).close(false);
  leases.open(act({ kind: 'roots', arguments: second })).close(true);
  const answers = [first, second].map((one) => leases.useAnswer('files', { method: 'roots/list' }, one));
  expect(answers).toEqual([false, true]);
});

test('an answer stays permitted if another one to the same question fails', () => {
  const leases = new Leases();
  leases.open(act({ kind: 'connect' }));
  const [question, answer] = [
    { method: 'elicitation/create', params: {} },
    { action: 'accept', content: { a: 1 } },
  ];
  const one = { kind: 'elicitation', name: 'form', arguments: answer } as const;
  const failing = leases.open(act(one));
  leases.open(act(one));
  failing.close(false);
  expect([1, 2].map(() => leases.useAnswer('files', question, answer))).toEqual([true, false]);
});

test('of answers that are never sent the last hundred are kept', () => {
  const leases = new Leases();
  leases.open(act({ kind: 'connect' }));
  for (let i = 0; i <= 100; i++) leases.open(act({ kind: 'roots', arguments: { roots: [i] } }));
  const sent = (i: number): boolean => leases.useAnswer('files', { method: 'roots/list' }, { roots: [i] });
  expect([sent(0), sent(1), sent(100)]).toEqual([false, true, true]);
});

test('a request that needs a visit first is sent again after permission for that visit, once for each', async () => {
  const gate = await opened();
  const call = request(1, 'tools/call', { name: 'read_file', arguments: { path: 'notes.txt' } });
  const page = { mode: 'url', message: 'Pay', url: 'https://a.test/', elicitationId: 'e' };
  const unpaid = failure(1, new RpcError(-32042, 'Visit first', { elicitations: [page] }));
  const visit = (name: string): Promise<unknown> => gate.pass(act({ kind: 'visit', name }), async () => undefined);
  const take = (): void => gate.leases.admit('files', call)(unpaid);
  await gate.pass(act(), async () => {
    take();
    expect(take).toThrow('no action with this name');
    await visit('https://b.test/');
    expect(take).toThrow('no action with this name');
    // Permission for something else that has the name of the page does not permit the visit.
    await gate.pass(act({ kind: 'elicitation', name: 'https://a.test/' }), async () => undefined);
    expect(take).toThrow('no action with this name');
    await visit('https://a.test/');
    take();
    expect(take).toThrow('no action with this name');
  });
});

test('the foreseen decision takes the text of watched servers into account', async () => {
  const gate = new GateKeeper({ policy: [rules.noFlow('mail', 'web'), rules.allow({})] });
  const text = 'The safe in the harbour office opens with the old brass key that Ada keeps in her desk.';
  await gate.pass(act({ server: 'mail', session: 's' }), async () => ({ content: [{ type: 'text', text }], text }));
  const web = (args: JsonObject): Act => act({ server: 'web', session: 's', arguments: args });
  expect(gate.foresee(web({ text: 'Good morning' }))).toBe('allow');
  expect(gate.foresee(web({ text: `PS: ${text}` }))).toBe('deny');
  expect(gate.foresee({ ...web({}), carries: ['mail'] })).toBe('deny');
});

test('the decision of the rules is foreseen without being counted, recorded or allowed', async () => {
  const audit = memoryAudit();
  const policy = [rules.budget({ kind: 'tool' }, { calls: 1, per: 'session' }), rules.allow({ name: 'read_file' })];
  const gate = new GateKeeper({ policy, audit });
  expect([gate.foresee(act()), gate.foresee(act()), gate.foresee(act({ name: 'other' }))]).toEqual([
    'allow',
    'allow',
    'ask',
  ]);
  expect(audit.records).toEqual([]);
  await gate.pass(act(), async () => undefined);
  expect(gate.foresee(act())).toBe('deny');
});
