/** Tools and a prompt that ask: elicitation, sampling and roots. */
import { type CreateMessageResult, type Part, prompt, tool } from 'mooring';
import * as z from 'zod';

const ask = (text: string) =>
  ({ messages: [{ role: 'user', content: { type: 'text', text } }], maxTokens: 100 }) as const;

const words = ({ content }: CreateMessageResult): string =>
  [content]
    .flat()
    .map((block) => (block.type === 'text' ? block.text : `(${block.type})`))
    .join(' ');

const choice = ['option1', 'option2', 'option3'];
const titled = [
  { const: 'value1', title: 'First Option' },
  { const: 'value2', title: 'Second Option' },
  { const: 'value3', title: 'Third Option' },
];

/** The answer as text, or the action if the user did not accept. */
const answerText = (asked: { readonly action: string; readonly value?: unknown }): string =>
  `action=${asked.action}, content=${JSON.stringify(asked.value ?? {})}`;

export const askingTools: readonly Part[] = [
  tool({
    name: 'test_sampling',
    description: "Asks the client's model",
    input: z.object({ prompt: z.string().describe('What to ask it') }),
    run: async ({ prompt }, ctx) => `LLM response: ${words(await ctx.sample('answer', ask(prompt)))}`,
  }),
  tool({
    name: 'test_elicitation',
    description: 'Asks the user for a name and an address',
    input: z.object({ message: z.string().describe('What to say to the user') }),
    async run({ message }, ctx) {
      const form = z.object({
        username: z.string().describe("User's name"),
        email: z.email().describe("User's email"),
      });
      return `User response: ${answerText(await ctx.ask('user', message, form))}`;
    },
  }),
  tool({
    name: 'test_elicitation_sep1034_defaults',
    description: 'Asks with a default for every kind of field',
    async run(_nothing, ctx) {
      const form = z.object({
        name: z.string().default('John Doe'),
        age: z.int().default(30),
        score: z.number().default(95.5),
        status: z.enum(['active', 'inactive', 'pending']).default('active'),
        verified: z.boolean().default(true),
      });
      return `Elicitation completed: ${answerText(await ctx.ask('profile', 'Please review and update the form', form))}`;
    },
  }),
  tool({
    name: 'test_elicitation_sep1330_enums',
    description: 'Asks with every kind of choice',
    async run(_nothing, ctx) {
      const form = {
        type: 'object',
        properties: {
          untitledSingle: { type: 'string', enum: choice },
          titledSingle: { type: 'string', oneOf: titled },
          legacyEnum: { type: 'string', enum: ['opt1', 'opt2', 'opt3'], enumNames: ['One', 'Two', 'Three'] },
          untitledMulti: { type: 'array', items: { type: 'string', enum: choice } },
          titledMulti: { type: 'array', items: { anyOf: titled } },
        },
      };
      return `Elicitation completed: ${answerText(await ctx.ask('choices', 'Please choose', form))}`;
    },
  }),
  tool({
    name: 'test_missing_capability',
    description: "Needs the client's model, and cannot do without",
    run: async (_nothing, ctx) => words(await ctx.sample('needed', ask('Are you there?'))),
  }),
  tool({
    name: 'test_streaming_elicitation',
    description: 'Asks the user while it reports progress',
    async run(_nothing, ctx) {
      ctx.progress(1, 2);
      const asked = await ctx.ask('answer', 'Shall it go on?', z.object({ answer: z.string() }));
      return `Answered: ${answerText(asked)}`;
    },
  }),
  ...inputRequired(),
];

/** Tools that ask questions in any way that the revision has. */
function inputRequired(): readonly Part[] {
  const name = z.object({ name: z.string() });
  const sure = z.object({ ok: z.boolean() });
  return [
    tool({
      name: 'test_input_required_result_elicitation',
      description: 'Asks for a name and greets',
      async run(_nothing, ctx) {
        const asked = await ctx.ask('user_name', 'What is your name?', name);
        return `Hello, ${asked.value?.name ?? 'whoever you are'}!`;
      },
    }),
    tool({
      name: 'test_input_required_result_sampling',
      description: "Asks the client's model for a capital",
      run: async (_nothing, ctx) => words(await ctx.sample('capital_question', ask('What is the capital of France?'))),
    }),
    tool({
      name: 'test_input_required_result_list_roots',
      description: 'Asks which folders are open',
      run: async (_nothing, ctx) => `Roots: ${(await ctx.roots('client_roots')).map(({ uri }) => uri).join(', ')}`,
    }),
    tool({
      name: 'test_input_required_result_request_state',
      description: 'Remembers something across the question',
      async run(_nothing, ctx) {
        const state = await ctx.once('state', () => 'state-ok');
        await ctx.ask('confirm', 'Please confirm', sure);
        return state;
      },
    }),
    tool({
      name: 'test_input_required_result_multiple_inputs',
      description: 'Asks the user, the model and the client at once',
      async run(_nothing, ctx) {
        const [asked, greeting, roots] = await Promise.all([
          ctx.ask('user_name', 'What is your name?', name),
          ctx.sample('greeting', ask('Greet somebody')),
          ctx.roots('client_roots'),
        ]);
        return `${words(greeting)} ${asked.value?.name ?? ''} (${roots.length} roots)`;
      },
    }),
    tool({
      name: 'test_input_required_result_multi_round',
      description: 'Asks one question after the other',
      async run(_nothing, ctx) {
        const first = await ctx.ask('step1', 'Step 1: What is your name?', name);
        const second = await ctx.ask('step2', 'Step 2: What is your favorite color?', z.object({ color: z.string() }));
        return `${first.value?.name ?? 'Somebody'} likes ${second.value?.color ?? 'nothing'}`;
      },
    }),
    tool({
      name: 'test_input_required_result_tampered_state',
      description: 'Asks, and accepts only the state that it gave',
      run: async (_nothing, ctx) => `Confirmed: ${answerText(await ctx.ask('confirm', 'Please confirm', sure))}`,
    }),
    tool({
      name: 'test_input_required_result_capabilities',
      description: 'Asks for what this client can give',
      async run(_nothing, ctx) {
        const { elicitation, sampling } = ctx.caller.capabilities;
        if (elicitation !== undefined) return answerText(await ctx.ask('user_name', 'What is your name?', name));
        if (sampling !== undefined) return words(await ctx.sample('model', ask('What is your name?')));
        return 'Nobody to ask';
      },
    }),
    prompt({
      name: 'test_input_required_result_prompt',
      description: 'Asks what the prompt is for',
      async render(_nothing, ctx) {
        const asked = await ctx.ask('user_context', 'What is it for?', z.object({ context: z.string() }));
        return `Use this context: ${asked.value?.context ?? 'none'}`;
      },
    }),
  ];
}
