import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { act } from '../../../test/support/acts.ts';
import { folder, mooring } from '../../../test/support/command-line.ts';
import { ndjsonAudit } from '../../host/audit/ndjson-audit.ts';
import { verifyAudit } from '../../host/audit/verify-audit.ts';
import { GateKeeper } from '../../host/gate/gate-keeper.ts';
import { rules } from '../../host/policy/rules.ts';
import { systemClock } from '../../peer/clock.ts';

/** An audit log with this many acts, two records each. */
async function audited(path: string, acts: number, key?: string): Promise<void> {
  const audit = ndjsonAudit(path, { key });
  const gate = new GateKeeper({
    policy: [rules.allow({})],
    audit,
    consent: () => ({ allow: true }),
    clock: systemClock,
  });
  for (let i = 0; i < acts; i++) await gate.pass(act({ name: `tool_${i}` }), async () => 'said');
  await audit.close();
}

test('audit verify confirms an unchanged log, and prints a checkpoint for the next run', async () => {
  await using dir = await folder();
  await audited(join(dir.path, 'audit.ndjson'), 2);
  const { code, stdout } = await mooring(['audit', 'verify', 'audit.ndjson'], { cwd: dir.path });
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^verified: 4 records\ncheckpoint 4:[0-9a-f]{64}\n$/)]);
  const [, checkpoint = ''] = /checkpoint (\S+)/.exec(stdout) ?? [];
  const again = await mooring(['audit', 'verify', 'audit.ndjson', '--checkpoint', checkpoint, '--json'], {
    cwd: dir.path,
  });
  expect(again.code).toBe(0);
  expect(JSON.parse(again.stdout)).toMatchObject({ ok: true, at: { n: 4 } });
  await writeFile(join(dir.path, 'checkpoint.json'), again.stdout);
  const kept = ['audit', 'verify', 'audit.ndjson', '--checkpoint', 'checkpoint.json'];
  expect((await mooring(kept, { cwd: dir.path })).code).toBe(0);
  const text = await readFile(join(dir.path, 'audit.ndjson'), 'utf8');
  await writeFile(join(dir.path, 'audit.ndjson'), `${text.split('\n').slice(0, 2).join('\n')}\n`);
  expect((await mooring(['audit', 'verify', 'audit.ndjson'], { cwd: dir.path })).code).toBe(0);
  const cut = await mooring(kept, { cwd: dir.path });
  expect([cut.code, cut.stdout]).toEqual([1, expect.stringContaining('line 3: the end is missing')]);
});

test('audit verify names the first changed line, as text and as JSON', async () => {
  await using dir = await folder();
  const path = join(dir.path, 'audit.ndjson');
  await audited(path, 3);
  await writeFile(path, (await readFile(path, 'utf8')).replace('tool_1', 'tool_9'));
  const { code, stdout } = await mooring(['audit', 'verify', path]);
  expect([code, stdout]).toEqual([1, `verification failed: ${path}, line 3: the record was changed\n`]);
  const told = await mooring(['audit', 'verify', path, '--json']);
  expect([told.code, JSON.parse(told.stdout)]).toEqual([
    1,
    { file: path, ok: false, line: 3, why: 'the record was changed' },
  ]);
});

test.each([
  [[], '<file>: expected an audit log'],
  [['nowhere.ndjson'], 'file not found'],
  [['.'], 'not a file'],
  [['audit.ndjson', 'more'], 'more: unexpected argument'],
  [['audit.ndjson', '--checkpoint', 'yesterday'], 'expected <number>:<64 hex digits>, or a file'],
  [['audit.ndjson', '--checkpoint', 'audit.ndjson'], 'expected JSON with "n" and "hash"'],
])('audit verify rejects invalid arguments: %j', async (args, why) => {
  await using dir = await folder();
  await appendFile(join(dir.path, 'audit.ndjson'), '');
  const { code, stdout, stderr } = await mooring(['audit', 'verify', ...args], { cwd: dir.path });
  expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(why)]);
});

test('an audit log with a key is verified with MOORING_AUDIT_KEY', async () => {
  await using dir = await folder();
  const key = 'k'.repeat(32);
  await audited(join(dir.path, 'audit.ndjson'), 1, key);
  const verify = (env: Record<string, string>) => mooring(['audit', 'verify', 'audit.ndjson'], { cwd: dir.path, env });
  expect(await verify({ MOORING_AUDIT_KEY: key })).toMatchObject({ code: 0 });
  expect((await verify({})).stdout).toContain('line 1: written with a key');
  expect((await verify({ MOORING_AUDIT_KEY: 'x'.repeat(32) })).stdout).toContain(
    'line 1: the record was changed, or written with',
  );
});

test('Ctrl-C ends audit verify without the rest of a long log', async () => {
  await using dir = await folder();
  const path = join(dir.path, 'audit.ndjson');
  await audited(path, 1_000);
  // Loads the command, so that the race is one of reading alone.
  await mooring(['audit', 'verify', '--help']);
  const whole = verifyAudit(path);
  const ran = mooring(['audit', 'verify', path], { signal: AbortSignal.abort('SIGINT') });
  expect(await Promise.race([whole.then(() => 'the whole log'), ran])).toMatchObject({ code: 130, stdout: '' });
  await whole;
});
