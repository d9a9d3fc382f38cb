/** A handler that mutates its arguments, answers or results does not change the record of its task. */
import { expect, test } from 'vitest';
import { accept, begin, get, handleCaller, nameForm, taskWorld, update } from '../../../test/support/tasks.ts';
import { tool } from '../tool.ts';
import { memoryTasks } from './memory-store.ts';

test.each([
  ['in the table of a memory store', memoryTasks()],
  ['in a store that is asked', { ...memoryTasks() }],
])('a handler that changes its arguments, steps, answers and result changes no record %s', async (_where, store) => {
  const [seen, answers]: [string[], string[]] = [[], []];
  const returned = { cargo: ['wheat'] };
  const sure = { type: 'string', title: 'Sure?' };
  const pack = tool({
    name: 'pack',
    task: true,
    input: { type: 'object', properties: { items: { type: 'array', items: { type: 'string' } } } },
    async run(input, ctx) {
      const { items } = input as { items: string[] }; // as the test calls it
      const step = await ctx.once('step', () => ({ list: [1] }));
      seen.push(JSON.stringify([items, step]));
      items.push('mine');
      step.list.push(2);
      const answer = await ctx.ask('name', 'Whose?', nameForm);
      answers.push(JSON.stringify(answer));
      Object.assign(answer, { action: 'cancel' });
      await ctx.ask('sure', 'Sure?', { type: 'object', properties: { sure } });
      return returned;
    },
  });
  const { server } = taskWorld(() => '', { store, parts: [pack] });
  const raw = await handleCaller(server);
  const taskId = await begin(raw, { name: 'pack', arguments: { items: ['rope'] } });
  await update(raw, taskId, { name: accept({ name: 'Ada' }) });
  sure.title = 'Changed';
  expect(JSON.stringify(await get(raw, taskId))).toContain('"title":"Sure?"');
  sure.title = 'Sure?';
  await update(raw, taskId, { sure: accept({ sure: 'yes' }) });
  returned.cargo.push('salt');
  expect(await get(raw, taskId)).toMatchObject({ result: { structuredContent: { cargo: ['wheat'] } } });
  const first = '[["rope"],{"list":[1]}]';
  expect(seen).toEqual([first, first, first]);
  expect(answers).toEqual([answers[0], answers[0]]);
});
