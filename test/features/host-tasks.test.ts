/** Tasks behind the gate: the same calls, questions and records in every revision. */
import { expect, test } from 'vitest';
import { memoryAudit } from '../../src/host/audit/memory-audit.ts';
import { createHost } from '../../src/host/create-host.ts';
import { rules } from '../../src/host/policy/rules.ts';
import { revisions } from '../../src/revisions/index.ts';
import { createYard } from '../fixtures/yard.ts';

const FORMS = '2025-06-18';
const TASKS = '2025-11-25';

test.each(revisions.map(({ id }) => id))(
  'a task, its question and its cancellation are on record, in %s',
  async (id) => {
    const audit = memoryAudit();
    await using host = createHost({
      servers: { yard: createYard({ revisions: [id] }) },
      policy: [rules.allow({ kind: ['connect', 'tool', 'elicitation'] })],
      questions: { form: async () => ({ action: 'accept', content: { name: 'Beagle' } }) },
      ...{ audit, health: false, tasks: true },
    });
    await using session = host.session({ principal: 'ada' });
    const { act, task } = await session.start('yard.launch', id < FORMS ? { name: 'Beagle' } : {});
    const taskId = task.ticket?.ticket.taskId;
    expect(taskId !== undefined).toBe(id >= TASKS);
    expect((await task.result()).text).toBe('Beagle is afloat');
    const working = taskId === undefined ? [] : [['working', taskId]];
    expect((await host.explain(act)).map((one) => [one.phase, one.task])).toEqual([
      ['decided', undefined],
      ...working,
      ['done', taskId],
    ]);
    const asked = audit.records.filter((one) => one.act.kind === 'elicitation');
    expect(asked.map((one) => [one.phase, one.task])).toEqual(
      id < FORMS
        ? []
        : [
            ['decided', taskId],
            ['done', taskId],
          ],
    );
    const drifting = await session.start('yard.drift', {});
    const failed = drifting.task.result().catch((error: unknown) => error);
    await drifting.task.cancel();
    expect(await failed).toMatchObject({ code: 'MCP_CANCELLED' });
    expect((await host.explain(drifting.act)).at(-1)).toMatchObject({ phase: 'failed', outcome: 'MCP_CANCELLED' });
    expect(await host.tasks('ada')).toEqual([]);
  },
);
