import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { eventually } from '../../../test/support/children.ts';
import { FakeServer, type Handler } from '../../../test/support/fake-server.ts';
import { asks, ended, handle } from '../../../test/support/fake-tasks.ts';
import { verifies } from '../../../test/support/verifies.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import { LISTEN } from '../../model/names.ts';
import { memoryAudit } from '../audit/memory-audit.ts';
import { createHost } from '../create-host.ts';
import type { HostOptions } from '../host.ts';
import { rules } from '../policy/rules.ts';
import { fileTickets } from './file-tickets.ts';

/** A task that ends when its question is answered; without a question, when the test ends it. */
class Studio {
  isDone = false;
  isAsking = false;
  failure: JsonObject | undefined;
  readonly server: FakeServer;

  constructor() {
    const on: Record<string, Handler> = {
      'tools/list': () => ({ tools: [{ name: 'render', inputSchema: { type: 'object' } }] }),
      'tools/call': () => ({ resultType: 'task', ...handle({ pollIntervalMs: 250 }) }),
      'tasks/get': () =>
        this.failure !== undefined
          ? handle({ status: 'failed', error: this.failure })
          : this.isDone
            ? ended()
            : this.isAsking
              ? asks('a')
              : handle({ pollIntervalMs: 250 }),
      'tasks/update': () => {
        this.isDone = true;
        return {};
      },
      'tasks/cancel': () => ({}),
      [LISTEN]: (params) => (params['notifications'] === undefined ? {} : {}),
    };
    this.server = new FakeServer({ revision: '2026-07-28', on });
  }

  host(options: Partial<HostOptions> = {}): ReturnType<typeof createHost> {
    return createHost({
      servers: { studio: this.server.transport },
      policy: [rules.allow({ kind: ['connect', 'tool', 'extension', 'elicitation'] })],
      questions: { form: async () => ({ action: 'accept', content: { a: 'x' } }) },
      health: false,
      tasks: true,
      ...options,
    });
  }
}

describe('a host with tasks', () => {
  test('a call that becomes a task is awaited, and sends nothing that its act does not allow', async () => {
    const studio = new Studio();
    studio.isDone = true;
    await using host = studio.host();
    const { text } = await host.session().call('studio.render', {});
    expect(text).toBe('rendered');
    expect(studio.server.methods).toContain('tasks/get');
  });

  test('a question of a task is answered as a separate act, in the name of the user who started the task', async () => {
    verifies('HOST-47');
    const studio = new Studio();
    studio.isAsking = true;
    const audit = memoryAudit();
    const asked: string[] = [];
    await using host = studio.host({
      audit,
      policy: [rules.allow({ kind: ['connect', 'tool'] })],
      consent: ({ act }) => {
        asked.push(`${act.kind} for ${act.principal}`);
        return { allow: true };
      },
    });
    await using session = host.session({ principal: 'ada' });
    const { act, task } = await session.start('studio.render', {});
    expect((await task.result()).text).toBe('rendered');
    expect(asked).toEqual(['elicitation for ada']);
    expect(studio.server.params('tasks/update')).toHaveLength(1);
    const written = (await host.explain(act)).map(({ phase, outcome, task: id }) => [phase, outcome, id]);
    expect(written).toEqual([
      ['decided', undefined, undefined],
      ['working', undefined, 't-1'],
      ['done', 'answered', 't-1'],
    ]);
    const questions = audit.records.filter((one) => one.act.kind === 'elicitation');
    expect(questions.map(({ phase, task: id }) => [phase, id])).toEqual([
      ['decided', 't-1'],
      ['done', 't-1'],
    ]);
  });

  test('the audit record of a call has its task, also if the call fails', async () => {
    const studio = new Studio();
    studio.failure = { code: -32000, message: 'no paint' };
    const audit = memoryAudit();
    await using host = studio.host({ audit });
    await expect(host.session().call('studio.render', {})).rejects.toMatchObject({ code: -32000 });
    const written = audit.records.filter((one) => one.act.kind === 'tool');
    expect(written.map(({ phase, outcome, task }) => [phase, outcome, task])).toEqual([
      ['decided', undefined, undefined],
      ['working', undefined, 't-1'],
      ['failed', 'RpcError -32000', 't-1'],
    ]);
  });

  test('cancelling a start dismisses the question to the user, and sends nothing', async () => {
    const studio = new Studio();
    const control = new AbortController();
    let isWithdrawn = false;
    await using host = studio.host({
      policy: [rules.allow({ kind: 'connect' })],
      consent: (_, signal) => {
        signal.addEventListener('abort', () => {
          isWithdrawn = true;
        });
        control.abort();
        return new Promise(() => undefined);
      },
    });
    const started = host.session().start('studio.render', {}, { signal: control.signal });
    await expect(started).rejects.toMatchObject({ code: 'MCP_CANCELLED' });
    expect(isWithdrawn).toBe(true);
    expect(studio.server.methods).not.toContain('tools/call');
  });

  test('a task gets no answer that the user did not agree to', async () => {
    verifies('HOST-47');
    const studio = new Studio();
    studio.isAsking = true;
    const policy = [rules.allow({ kind: ['connect', 'tool'] }), rules.deny({ kind: 'elicitation' })];
    await using host = studio.host({ policy });
    await using session = host.session();
    const { task } = await session.start('studio.render', {});
    task.result().catch(() => undefined);
    for await (const { status } of task.states()) if (status !== 'working') break;
    expect(JSON.stringify(studio.server.params('tasks/update'))).not.toContain('"x"');
  });

  test('fileTickets() stores tickets readable by their user only, and tasks are resumed after a restart', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mooring-tickets-'));
    try {
      const tickets = fileTickets(join(folder, 'tasks'));
      const studio = new Studio();
      const first = studio.host({ tickets });
      const { task } = await first.session({ principal: 'ada' }).start('studio.render', { secret: 'hunter2' });
      task.result().catch(() => undefined);
      await first.close();
      const [file = ''] = await readdir(join(folder, 'tasks'));
      expect((await stat(join(folder, 'tasks', file))).mode & 0o777).toBe(0o600);
      expect(JSON.stringify(await tickets.list())).not.toContain('hunter2');
      await using second = studio.host({ tickets });
      expect(await second.tasks('eve')).toEqual([]);
      const [ticket] = await second.tasks('ada');
      if (ticket === undefined) throw new Error('the ticket is gone');
      studio.isDone = true;
      const resumed = await second.resume(ticket);
      expect((await resumed.task.result()).text).toBe('rendered');
      expect(await second.tasks('ada')).toEqual([]);
    } finally {
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    }
  });

  test('the ticket of a task that ended is stored until its result is taken', async () => {
    const studio = new Studio();
    studio.isDone = true;
    const audit = memoryAudit();
    await using host = studio.host({ audit });
    const session = host.session();
    const { task } = await session.start('studio.render', {});
    for await (const { status } of task.states()) if (status === 'completed') break;
    const late = AbortSignal.abort();
    await expect(task.result({ signal: late })).rejects.toBeDefined();
    await session.close();
    const [ticket] = await host.tasks('');
    if (ticket === undefined) throw new Error('the ticket is gone');
    const resumed = await host.resume(ticket);
    for await (const { status } of resumed.task.states()) if (status === 'completed') break;
    await eventually('its act is over', () =>
      audit.records.some(({ act, phase }) => act.kind === 'extension' && phase === 'done'),
    );
    expect(await host.tasks('')).toHaveLength(1);
    expect((await resumed.task.result()).text).toBe('rendered');
    expect(await host.tasks('')).toEqual([]);
  });

  test('a host does not resume a task that the rules deny, and starts none if tasks are off', async () => {
    const studio = new Studio();
    await using host = studio.host({ policy: [rules.allow({ kind: 'connect' }), rules.deny({ kind: 'extension' })] });
    const ticket = { ...{ v: 1 as const, server: 'name:', revision: '2026-07-28', taskId: 't-1' }, tool: 'render' };
    const whole = { ...ticket, createdAt: '', ttlMs: null, answered: [] };
    const resumed = host.resume({
      id: 'x',
      server: 'studio',
      name: 'studio.render',
      principal: '',
      act: 'a',
      ticket: whole,
    });
    await expect(resumed).rejects.toMatchObject({ code: 'MCP_DENIED' });
    expect(studio.server.methods).not.toContain('tasks/get');
    await using off = new Studio().host({ tasks: false });
    await expect(off.session().start('studio.render', {})).rejects.toMatchObject({ code: 'MCP_BAD_DEFINITION' });
  });
});
