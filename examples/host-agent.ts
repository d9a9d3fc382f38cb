/**
 * A model at work with the tools of a server: it reads, asks the user before it changes something, and is told what was refused. The
 * model here keeps to a script; `anthropic` and `openai` take its place without another change.
 *
 *   npx tsx examples/host-agent.ts
 */
import { strict as assert } from 'node:assert';
import { createServer, tool } from 'mooring';
import { createHost, type QuestionHandler, rules, scriptedModel } from 'mooring/host';
import * as z from 'zod';

const order = z.object({ order: z.string() });
const shop = createServer({
  name: 'shop',
  version: '1.0.0',
  instructions: 'Look at an order before you refund it.',
  parts: [
    tool({ name: 'status', effects: 'read', input: order, run: ({ order: id }) => `${id}: delivered, 40 euros` }),
    tool({
      name: 'refund',
      input: order,
      async run({ order: id }, ctx) {
        const how = await ctx.ask('how', 'Why does the money go back?', z.object({ reason: z.string() }));
        return how.accepted ? `${id} refunded: ${how.value.reason}` : 'Not refunded';
      },
    }),
  ],
});

const model = scriptedModel([
  [{ type: 'tool_use', id: '1', name: 'shop__status', input: { order: 'A-1' } }],
  [{ type: 'tool_use', id: '2', name: 'shop__refund', input: { order: 'A-1' } }],
  'Order A-1 is refunded.',
]);
const asked: string[] = [];

// #region questions
const questions: QuestionHandler = {
  // Show who asks and why, let the user change everything until it is sent, and let them decline or cancel at any time.
  form: async ({ server, message }) => {
    asked.push(`${server}: ${message}`);
    return { action: 'accept', content: { reason: 'broken' } };
  },
  // The user's own browser, and only after consent. Never a view that this program could look into.
  open: async (url) => console.log(`Please open ${url}`),
};
// #endregion

// #region run
await using host = createHost({
  servers: { shop },
  model, // anthropic({ apiKey, model: '…' }) or openai({ apiKey, baseUrl, model: '…' })
  questions,
  policy: [rules.trustAnnotationsOf('shop'), rules.allow({ kind: ['connect', 'tool'], effects: 'read' })],
  consent: ({ act }) => {
    asked.push(`may it ${act.kind} ${act.name}?`);
    return { allow: true };
  },
});
await using session = host.session({ principal: 'ada' });
let answer = '';
for await (const event of session.run('Refund order A-1', { maxTurns: 10 })) {
  if (event.type === 'tool-start') console.log(`calls ${event.name}`, event.arguments);
  if (event.type === 'denied') console.log(`was refused ${event.name}: ${event.why}`);
  if (event.type === 'done') answer = event.text;
  if (event.type === 'error') throw event.error;
}
// #endregion

assert.equal(answer, 'Order A-1 is refunded.');
assert.deepEqual(asked, ['may it tool refund?', 'shop: Why does the money go back?', 'may it elicitation form?']);
assert.equal(session.messages.length, 6);
