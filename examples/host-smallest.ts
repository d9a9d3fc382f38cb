/**
 * The smallest agent: three servers, a model, and a user who is asked about everything. The model here keeps to a script; `anthropic` and
 * `openai` take its place without another change.
 *
 *   npx tsx examples/host-smallest.ts
 */
import { strict as assert } from 'node:assert';
import process from 'node:process';
import { createServer, type Server, tool } from 'mooring';
import { createHost, scriptedModel, terminalConsent } from 'mooring/host';

const server = (name: string, answer: string): Server =>
  createServer({ name, version: '1.0.0', parts: [tool({ name: 'ask', run: () => answer })] });
const shop = server('shop', 'A-1041 is refunded');
const mail = server('mail', 'The letter is sent');
const diary = server('diary', 'Ada has a birthday');

const uses = ['shop', 'mail', 'diary'].map(
  (label) => ({ type: 'tool_use', id: label, name: `${label}__ask`, input: {} }) as const,
);
const model = scriptedModel([uses, 'All three have answered.']);
// Without a terminal, as in a test, another function answers.
const consent = process.stdin.isTTY ? terminalConsent() : () => ({ allow: true });
let said = '';

// #region smallest
await using host = createHost({ servers: { shop, mail, diary }, model, consent });
await using session = host.session();
for await (const event of session.run('Ask all three')) {
  if (event.type === 'text') said += event.text;
  if (event.type === 'denied') console.log(`refused ${event.name}: ${event.why}`);
  if (event.type === 'error') throw event.error;
}
// #endregion

console.log(said);
assert.equal(said, 'All three have answered.');
