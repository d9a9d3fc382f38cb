/** Tools that run as tasks: at once, after a question, with their own questions, and with every possible outcome. */
import { setTimeout as pause } from 'node:timers/promises';
import { type Part, RpcError, ToolError, tool } from 'mooring';

const name = { type: 'string' };
const nameForm = { type: 'object', properties: { name }, required: ['name'] };

export const taskTools: readonly Part[] = [
  tool({
    name: 'greet',
    description: 'Greets by name, at once',
    effects: 'read',
    input: nameForm,
    run: (input) => `Hello, ${String(input['name'])}!`,
  }),
  tool({
    name: 'slow_compute',
    description: 'Takes as long as it is told to',
    effects: 'read',
    task: true,
    input: {
      type: 'object',
      properties: { seconds: { type: 'number' }, label: { type: 'string' } },
      required: ['seconds'],
    },
    async run({ seconds, label }, ctx) {
      await pause(Number(seconds) * 1_000, undefined, { signal: ctx.signal });
      return `${String(label ?? 'It')} is computed`;
    },
  }),
  tool({
    name: 'failing_job',
    description: 'Fails after a second, and needs a task for it',
    effects: 'read',
    task: 'required',
    async run(_nothing, ctx) {
      await pause(1_000, undefined, { signal: ctx.signal });
      throw new ToolError('The job failed');
    },
  }),
  tool({
    name: 'protocol_error_job',
    description: 'Ends with an error of the protocol',
    effects: 'read',
    task: true,
    run: () => {
      throw new RpcError(-32_603, 'The job broke');
    },
  }),
  tool({
    name: 'confirm_delete',
    description: 'Asks before it deletes a file',
    effects: 'read',
    task: true,
    input: { type: 'object', properties: { filename: { type: 'string' } }, required: ['filename'] },
    async run({ filename }, ctx) {
      const isConfirmed = await ctx.confirm('delete', `Delete ${String(filename)}?`);
      return `${String(filename)} is ${isConfirmed ? '' : 'not '}deleted`;
    },
  }),
  tool({
    name: 'multi_input',
    description: 'Asks two questions at once',
    effects: 'read',
    task: true,
    async run(_nothing, ctx) {
      await Promise.all([ctx.ask('first', 'Your name?', nameForm), ctx.ask('second', 'Your other name?', nameForm)]);
      return 'Both are answered';
    },
  }),
  tool({
    name: 'test_tool_with_task',
    description: 'Asks for a name, then goes on as a task',
    effects: 'read',
    task: { required: true, begins: 'on detach' },
    async run(_nothing, ctx) {
      const { value } = await ctx.ask('user_name', 'What is your name?', nameForm);
      await ctx.detach();
      return `Done for ${String(value?.['name'])}`;
    },
  }),
];
