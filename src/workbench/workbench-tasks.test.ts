/** Tasks in both protocol forms: they continue on their server while workbenches detach, close and attach. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openTestWorkbench } from '../../test/support/workbench.ts';
import { fileTickets } from '../host/index.ts';
import { createServer, tool } from '../index.ts';

const folder = mkdtempSync(join(tmpdir(), 'mooring-workbench-tasks-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const studio = () =>
  createServer({
    name: 'studio',
    version: '1',
    tasks: true,
    parts: [
      tool({
        name: 'render',
        description: 'Renders a film',
        effects: 'read',
        task: { pollMs: 250 },
        async run(_, ctx) {
          ctx.progress(1, 2, 'half of the frames');
          const isSure = await ctx.confirm('sure', 'Render the rest?');
          return isSure ? 'rendered' : 'stopped';
        },
      }),
    ],
  });

test.each(['2025-11-25', '2026-07-28'])(
  'a task of revision %s begins, shows messages and asks; another workbench attaches it from its ticket, answers and sees it end',
  async (revision) => {
    const server = studio();
    const host = { health: false, tasks: true, tickets: fileTickets(join(folder, revision)) } as const;
    const options = { servers: { studio: server }, host, connect: [] };
    let ticket = '';
    {
      await using one = await openTestWorkbench(options);
      const { revision: spoken } = await one.page.rpc('servers.connect', { server: 'studio', revision });
      expect(spoken).toBe(revision);
      const begun = await one.page.rpc('call', { server: 'studio', tool: 'render', arguments: {}, task: true });
      ticket = begun.result?.ticket ?? '';
      await one.page.heard('task', ({ task }) => task.message?.includes('half of the frames') === true);
      await one.page.heard('question', ({ question }) => question.kind === 'form');
      const { tasks } = await one.page.rpc('tasks.list', {});
      expect(tasks).toEqual([expect.objectContaining({ ticket, attached: true, tool: 'render' })]);
      expect(tasks[0]?.states.length).toBeGreaterThan(0);
      expect(await one.page.rpc('tasks.detach', { ticket })).toMatchObject({ attached: false });
    }
    await using two = await openTestWorkbench(options);
    await two.page.rpc('servers.connect', { server: 'studio', revision });
    expect((await two.page.rpc('tasks.list', {})).tasks).toEqual([
      expect.objectContaining({ ticket, attached: false, status: 'detached' }),
    ]);
    expect(await two.page.rpc('tasks.attach', { ticket })).toMatchObject({ ticket, attached: true });
    const { params } = await two.page.heard('question', ({ question }) => question.kind === 'form');
    const { question } = params;
    if (question.kind !== 'form') throw new Error('a form was asked for');
    const [name = ''] = Object.keys((question.requestedSchema['properties'] ?? {}) as object);
    const value = { kind: 'form', action: 'accept', content: { [name]: true } } as const;
    expect(await two.page.rpc('answer', { question: question.id, value })).toEqual({ taken: true });
    const { params: over } = await two.page.heard('task', ({ task }) => task.outcome !== undefined);
    expect(over.task.outcome).toMatchObject({ result: { result: { content: [{ type: 'text', text: 'rendered' }] } } });
    server.close();
  },
);
