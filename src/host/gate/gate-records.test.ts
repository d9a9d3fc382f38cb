/** Tests the budgets, tasks and outcomes in records, and the titles of acts in errors. */
import { describe, expect, test } from 'vitest';
import { act } from '../../../test/support/acts.ts';
import { FakeServer } from '../../../test/support/fake-server.ts';
import { handle } from '../../../test/support/fake-tasks.ts';
import { openClient } from '../../client/index.ts';
import { RpcError, ToolError } from '../../errors.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import { Deferred } from '../../peer/wait.ts';
import type { ActKind } from '../act/act.ts';
import type { Audit } from '../audit/audit.ts';
import { memoryAudit } from '../audit/memory-audit.ts';
import { leaseTransport } from '../lease/lease-layer.ts';
import { rules } from '../policy/rules.ts';
import type { Permit } from './gate.ts';
import { GateKeeper } from './gate-keeper.ts';

const everything = [rules.allow({})];

describe('a record', () => {
  test('has the budget counters before the act, if the policy has budgets', async () => {
    const audit = memoryAudit();
    const policy = [rules.budget({}, { calls: 9, tokens: 99, per: 'session' }), ...everything];
    const gate = new GateKeeper({ policy, audit });
    for (const tokens of [5, 7]) await gate.pass(act({ tokens }), async () => undefined);
    const counted = audit.records.filter(({ phase }) => phase === 'decided').map(({ counts }) => counts);
    expect(counted).toMatchObject([[{ calls: 0, tokens: 0 }], [{ calls: 1, tokens: 5 }]]);
    expect(counted[0]?.[0]?.rule).toContain('budget');
    const plain = memoryAudit();
    await new GateKeeper({ policy: everything, audit: plain }).pass(act(), async () => undefined);
    expect(Object.keys(plain.records[0] ?? {}).toSorted()).toEqual(
      ['act', 'allowed', 'at', 'binding', 'decision', 'id', 'phase'].toSorted(),
    );
  });

  test('names the task of its own call, even if an equal act became a task first', async () => {
    const audit = memoryAudit();
    const gate = new GateKeeper({ policy: everything, audit });
    let tasks = 0;
    const becomesTask = (): JsonObject => ({ resultType: 'task', ...handle({ taskId: `t-${++tasks}` }) });
    const server = new FakeServer({ revision: '2026-07-28', on: { 'tools/call': becomesTask } });
    const transport = leaseTransport(server.transport, 'files', gate.leases);
    await using client = await gate.pass(act({ kind: 'connect' }), () => openClient(transport, { tasks: true }));
    const start = async (permit: Permit): Promise<string | undefined> => {
      const { ticket } = await client.start('read_file', permit.arguments);
      if (ticket !== undefined) permit.noteTask(ticket.taskId);
      return ticket?.taskId;
    };
    const faster = new Deferred<void>();
    const begun = await Promise.all([
      gate.pass(act({ principal: 'ada' }), (permit) => faster.promise.then(() => start(permit))),
      gate.pass(act({ principal: 'ben' }), (permit) => start(permit).finally(() => faster.resolve())),
    ]);
    expect(begun).toEqual(['t-2', 't-1']);
    const ended = audit.records.filter(({ act: { kind }, phase }) => kind === 'tool' && phase !== 'decided');
    expect(ended.map(({ act: { principal }, phase, task }) => `${principal} ${phase} ${task}`).sort()).toEqual([
      'ada done t-2',
      'ada working t-2',
      'ben done t-1',
      'ben working t-1',
    ]);
  });

  test('truncates outcome and task id to 200 characters, with secrets masked', async () => {
    const audit = memoryAudit();
    const gate = new GateKeeper({ policy: everything, audit });
    const taskId = `token=hunter2 ${'t'.repeat(300)}`;
    const outcome = (): string => `password=hunter2 ${'x'.repeat(300)}`;
    await gate.pass(act(), async ({ noteTask }) => noteTask(taskId), { outcome });
    const [working, done] = audit.records.slice(-2);
    expect([working?.phase, working?.task?.length, done?.task]).toEqual(['working', 200, working?.task]);
    expect([done?.phase, done?.outcome?.length, working?.outcome]).toEqual(['done', 200, undefined]);
    expect(done?.outcome).toMatch(/^password=\[masked\] x/);
    expect(JSON.stringify(audit.records)).not.toContain('hunter2');
  });

  test('names the task of a question only if an act became that task', async () => {
    const audit = memoryAudit();
    const gate = new GateKeeper({ policy: everything, audit });
    const answer = act({ kind: 'elicitation', name: 'form' });
    const resuming = act({ kind: 'extension', name: 'tasks/get', arguments: { taskId: 't1' } });
    await gate.pass(answer, async () => undefined, { task: 't1' });
    await gate.pass(resuming, async () => {
      for (const task of ['t1', 't2']) await gate.pass(answer, async () => undefined, { task });
      await gate.pass({ ...answer, server: 'mail' }, async () => undefined, { task: 't1' });
    });
    const tasks = audit.records.filter(({ act: { kind } }) => kind === 'elicitation').map(({ task }) => task);
    expect(tasks).toEqual([undefined, undefined, 't1', 't1', undefined, undefined, undefined, undefined]);
  });

  test('of the start of a task that cannot be written causes a warning', async () => {
    const warnings: string[] = [];
    const audit: Audit = {
      write: ({ phase }) => (phase === 'working' ? Promise.reject(new Error('full')) : Promise.resolve()),
    };
    const gate = new GateKeeper({ policy: everything, audit, onWarning: (warning) => void warnings.push(warning) });
    await gate.pass(act(), async ({ noteTask }) => noteTask('t1'));
    expect(warnings).toEqual(['The start of a task was not recorded: full']);
  });
});

test.each<[ActKind, string]>([
  ['tool', 'tool files.a\\u202eb'],
  ['prompt', 'prompt files.a\\u202eb'],
  ['resource', 'resource a\\u202eb of files'],
  ['connect', 'connect files (a\\u202eb)'],
  ['spawn', 'spawn files (a\\u202eb)'],
])('an error titles an act of kind %s: %s', async (kind, title) => {
  const gate = new GateKeeper({ policy: [rules.deny({})] });
  const error: unknown = await gate
    .pass(act({ kind, name: 'a\u202eb' }), async () => 'ran')
    .catch((one: unknown) => one);
  expect(error).toMatchObject({ details: { what: title } });
});

test('an error truncates the name of an act to 200 characters', async () => {
  const gate = new GateKeeper({ policy: [rules.deny({})] });
  const passing = gate.pass(act({ name: 'x'.repeat(300) }), async () => 'ran');
  await expect(passing).rejects.toMatchObject({ details: { what: `tool files.${'x'.repeat(200)}` } });
});

test.each<[unknown, string]>([
  [new Error('never mind'), 'never mind'],
  ['a text', 'its signal was aborted'],
])('the error of an act that was cancelled with %s has the reason', async (reason, why) => {
  const gate = new GateKeeper({ policy: everything });
  const passing = gate.pass(act(), async () => 'ran', { signal: AbortSignal.abort(reason) });
  await expect(passing).rejects.toMatchObject({ code: 'MCP_CANCELLED', details: { why }, cause: reason });
});

const secret = 'The safe opens with the old brass key that Ada keeps in her desk drawer.';

test.each<[string, Error]>([
  ['the message of a tool', new ToolError(secret, { content: [] })],
  ['the content of a tool', new ToolError('no', { content: [{ type: 'text', text: secret }] })],
  ['the message of a server', new RpcError(1, secret)],
])('the message of %s is tracked as text of its server', async (_what, error) => {
  const gate = new GateKeeper({ policy: [rules.noFlow('mail', 'web'), ...everything] });
  await gate.pass(act({ server: 'mail', session: 's' }), () => Promise.reject(error)).catch(() => undefined);
  expect(gate.foresee(act({ server: 'web', session: 's', arguments: { text: secret } }))).toBe('deny');
});
