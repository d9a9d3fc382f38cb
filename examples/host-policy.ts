/**
 * A policy, consent, a tamper-evident audit log, and another policy tried on the recorded actions.
 *
 *   npx tsx examples/host-policy.ts
 */
import { strict as assert } from 'node:assert';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, tool } from 'mooring';
import { type ConsentQuestion, createHost, ndjsonAudit, readAudit, rehearse, rules, verifyAudit } from 'mooring/host';
import * as z from 'zod';

const input = z.object({ name: z.string() });
const parts = [
  tool({ name: 'read_note', effects: 'read', input, run: ({ name }) => `What ${name} says` }),
  tool({ name: 'delete_note', effects: 'destructive', input, run: ({ name }) => `${name} is gone` }),
];
const notes = createServer({ name: 'notes', version: '1.0.0', parts });
const folder = await mkdtemp(join(tmpdir(), 'mooring-policy-'));
const file = join(folder, 'audit.ndjson');
const asked: ConsentQuestion[] = [];

{
  // #region policy
  const policy = [
    rules.deny({ name: 'delete_*', arguments: { name: /^tax/ } }),
    rules.trustAnnotationsOf('notes'),
    rules.allow({ kind: ['connect', 'tool'], effects: 'read' }),
    rules.budget({ name: 'delete_*' }, { calls: 2, per: 'hour' }),
    // No rule for the rest: the user is asked.
  ];
  await using host = createHost({
    servers: { notes },
    policy,
    consent: (question) => {
      asked.push(question);
      return { allow: question.act.arguments['name'] === 'old' };
    },
    audit: ndjsonAudit(file),
  });
  await using session = host.session({ principal: 'ada' });
  // #endregion
  assert.equal((await session.call('notes.read_note', { name: 'todo' })).text, 'What todo says');
  assert.equal(asked.length, 0);
  assert.equal((await session.call('notes.delete_note', { name: 'old' })).text, 'old is gone');
  await assert.rejects(session.call('notes.delete_note', { name: 'new' }), /the user declined/);
  assert.equal(asked.length, 2);

  // #region explain
  const error = await session.call('notes.delete_note', { name: 'tax 2029' }).catch((thrown: unknown) => thrown);
  assert(error instanceof Error && 'code' in error && error.code === 'MCP_DENIED');
  const { act } = await session.call('notes.read_note', { name: 'todo' });
  const [decided] = await host.explain(act);
  assert.equal(decided?.decision.rule, 'allow { kind: [connect, tool], effects: read }');
  // #endregion
}

// #region rehearse
const { changes } = await rehearse([rules.deny({ name: 'delete_*' }), rules.allow({})], readAudit(file));
for (const { from, to, count, example } of changes)
  console.log(`${from} → ${to}: ${count}, such as ${example.act.name}`);
// #endregion
assert.deepEqual(changes.map(({ from, to }) => `${from} ${to}`).sort(), ['ask deny']);

// #region verify
assert.equal((await verifyAudit(file)).ok, true);
await writeFile(file, (await readFile(file, 'utf8')).replace('"old"', '"odd"'));
const verdict = await verifyAudit(file);
assert(!verdict.ok);
console.log(`line ${verdict.line}: ${verdict.why}`);
// #endregion
await rm(folder, { recursive: true });
