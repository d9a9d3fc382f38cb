import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { act } from '../../../test/support/acts.ts';
import { folder, mooring } from '../../../test/support/command-line.ts';
import { ndjsonAudit } from '../../host/audit/ndjson-audit.ts';
import { GateKeeper } from '../../host/gate/gate-keeper.ts';
import { rules } from '../../host/policy/rules.ts';
import { systemClock } from '../../peer/clock.ts';

const entryPoint = pathToFileURL(resolve('src/host/policy/rules.ts')).href;

/** A folder with an audit log of one read and one denied deletion, and these modules. */
async function past(modules: Readonly<Record<string, string>>) {
  const dir = await folder();
  const audit = ndjsonAudit(join(dir.path, 'audit.ndjson'));
  const policy = [rules.deny({ name: 'delete_*' }), rules.allow({})];
  const gate = new GateKeeper({ policy, audit, consent: () => ({ allow: true }), clock: systemClock });
  for (const name of ['read_file', 'delete_file', 'delete_all'])
    await gate.pass(act({ name }), async () => 'said').catch(() => undefined);
  await audit.close();
  for (const [name, text] of Object.entries(modules))
    await writeFile(join(dir.path, name), `import { rules } from '${entryPoint}';\n${text}\n`);
  return dir;
}

test('policy test reports no change for the same rules, and exits with 0', async () => {
  await using dir = await past({
    'policy.mjs': "export const policy = [rules.deny({ name: 'delete_*' }), rules.allow({})];",
  });
  const { code, stdout } = await mooring(['policy', 'test', 'policy.mjs', '--against', 'audit.ndjson'], {
    cwd: dir.path,
  });
  expect([code, stdout]).toEqual([0, '3 decisions: 3 unchanged, 0 changed\n']);
});

test('policy test reports denied acts that would now be allowed, and exits with 1', async () => {
  await using dir = await past({
    'policy.mjs':
      "export default [rules.deny({ name: 'delete_all' }), rules.ask({ name: 'read_*' }), rules.allow({})];",
  });
  const args = ['policy', 'test', './policy.mjs', '--against', 'audit.ndjson'];
  const { code, stdout } = await mooring(args, { cwd: dir.path });
  expect(code).toBe(1);
  expect(stdout).toContain('3 decisions: 1 unchanged, 2 changed');
  expect(stdout).toMatch(/1 {6}deny → allow {2}allow everything +such as tool files: delete_file \(\S+\)/);
  expect(stdout).toMatch(/1 {6}allow → ask +ask \{ name: read_\* \}/);
  expect(stdout).toContain('1 denied action would now happen without asking the user.');
  const told = await mooring([...args, '--json'], { cwd: dir.path });
  expect([told.code, JSON.parse(told.stdout)]).toMatchObject([1, { decisions: 3, opened: 1, changes: [{}, {}] }]);
});

test('policy test shows the number of records on a terminal', async () => {
  await using dir = await past({ 'policy.mjs': 'export const all = [rules.deny({})];' });
  const args = ['policy', 'test', 'policy.mjs', '--against', 'audit.ndjson'];
  expect((await mooring(args, { cwd: dir.path, tty: true })).stderr).toContain('Rehearsing 1');
  expect((await mooring(args, { cwd: dir.path })).stderr).toBe('');
});

test('policy test exits with 0 for stricter rules', async () => {
  await using dir = await past({ 'policy.mjs': 'export const all = [rules.deny({})];' });
  const { code } = await mooring(['policy', 'test', 'policy.mjs', '--against', 'audit.ndjson'], { cwd: dir.path });
  expect(code).toBe(0);
});

test.each([
  [[], '<module>: expected the path of a module that exports rules'],
  [['two.mjs'], '--against: expected an audit log'],
  [['two.mjs', '--against', 'nothing.ndjson'], 'file not found'],
  [['nowhere.mjs', '--against', 'audit.ndjson'], 'nowhere.mjs: file not found'],
  [['two.mjs', '--against', 'audit.ndjson'], 'the module exports several arrays of rules: a, b'],
  [['none.mjs', '--against', 'audit.ndjson'], 'the module exports no array of rules'],
  [['wrong.mjs', '--against', 'audit.ndjson'], 'the export "policy" is not an array of rules'],
  [['broken.mjs', '--against', 'audit.ndjson'], 'the module failed while loading at broken.mjs:2:7: Out of order'],
])('policy test rejects invalid arguments: %j', async (args, why) => {
  await using dir = await past({
    'two.mjs': 'export const a = [rules.allow({})]; export const b = [rules.deny({})];',
    'none.mjs': 'export const a = 1;',
    'wrong.mjs': "export const policy = ['allow'];",
    'broken.mjs': "throw new Error('Out of order');",
  });
  const { code, stdout, stderr } = await mooring(['policy', 'test', ...args], { cwd: dir.path });
  expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(why)]);
});
