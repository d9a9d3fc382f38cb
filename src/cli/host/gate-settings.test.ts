/** Which rules, audit log and approvals a command has. */
import { existsSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { folder } from '../../../test/support/command-line.ts';
import { type Rule, rules } from '../../host/index.ts';
import type { Shell } from '../shell.ts';
import type { CommandTarget } from '../target/target.ts';
import { auditKey, type GateContext, gateSettings, loadPolicy } from './gate-settings.ts';

const typed: CommandTarget = { label: 'true', name: 'true', source: { command: 'true' } };
const configured = { ...typed, source: { command: 'true', from: { file: '.mcp.json', line: 3 } } } as CommandTarget; // the members that are read
const targets = new Map([
  ['typed', typed],
  ['configured', configured],
]);
const texts = (policy: readonly Rule[]): readonly string[] => policy.map(({ text }) => text);
const contextIn = (cwd: string, values: GateContext['values'] = {}, env: Record<string, string> = {}): GateContext =>
  ({ values, shell: { cwd, env, home: join(cwd, 'home'), platform: 'linux' } }) as unknown as GateContext; // likewise
const policyModule = (exports: string): string =>
  `import { rules } from '${resolve('src/host/index.ts')}';\n${exports}`;

test('typed servers are opened without a question, configured ones with --yes, and rules of a command come in order', async () => {
  await using at = await folder();
  const given = { targets, opened: [rules.deny({ name: 'a' })], allowed: [rules.allow({ name: 'b' })] };
  const asking = await gateSettings(contextIn(at.path), given);
  expect(texts(asking.policy)).toEqual([
    'deny { name: a }',
    'allow { kind: [spawn, connect], server: [typed] }',
    'ask { kind: [spawn, connect] }',
    'allow { name: b }',
  ]);
  expect(Object.keys(asking)).toEqual(['policy', 'approvals']);
  await asking.approvals?.key();
  expect(await readdir(join(at.path, 'home/.local/state/mooring/approvals'))).toHaveLength(1);
  const agreed = await gateSettings(contextIn(at.path, { yes: true }), { targets });
  expect(texts(agreed.policy)).toEqual([
    'allow { kind: [spawn, connect], server: [typed, configured] }',
    'ask { kind: [spawn, connect] }',
  ]);
  // Without a question, nothing is remembered.
  expect(Object.keys(agreed)).toEqual(['policy']);
  const alone = await gateSettings(contextIn(at.path), { targets: new Map([['typed', typed]]) });
  expect(alone.approvals).toBeUndefined();
  const none = await gateSettings(contextIn(at.path), { targets: new Map([['configured', configured]]) });
  expect(texts(none.policy)).toEqual(['ask { kind: [spawn, connect] }']);
});

test('the policy and the audit log of an option go before those of the environment, and rules of the user before all others', async () => {
  await using at = await folder();
  await writeFile(join(at.path, 'option.ts'), policyModule(`export const policy = [rules.deny({ name: 'option' })];`));
  await writeFile(
    join(at.path, 'variable.ts'),
    policyModule(`export const policy = [rules.deny({ name: 'variable' })];`),
  );
  const env = { MOORING_POLICY: 'variable.ts', MOORING_AUDIT: 'variable.ndjson' };
  const given = { targets, opened: [rules.allow({ name: 'a' })] };
  const option = await gateSettings(contextIn(at.path, { policy: 'option.ts', audit: 'option.ndjson' }, env), given);
  expect(texts(option.policy).slice(0, 2)).toEqual(['deny { name: option }', 'allow { name: a }']);
  expect(Object.keys(option)).toEqual(['policy', 'approvals', 'audit']);
  await option.audit?.close();
  expect(['option.ndjson', 'variable.ndjson'].map((file) => existsSync(join(at.path, file)))).toEqual([true, false]);
  const variable = await gateSettings(contextIn(at.path, {}, env), given);
  expect(texts(variable.policy)[0]).toBe('deny { name: variable }');
  await variable.audit?.close();
  expect(existsSync(join(at.path, 'variable.ndjson'))).toBe(true);
  const off = await gateSettings(contextIn(at.path, { policy: '', audit: '' }, env), given);
  expect([texts(off.policy)[0], off.audit]).toEqual(['allow { name: a }', undefined]);
});

test('an audit log that cannot be written is an error before a server is started', async () => {
  await using at = await folder();
  const context = contextIn(at.path, { audit: 'none/such/audit.ndjson' });
  await expect(gateSettings(context, { targets })).rejects.toThrow('audit.ndjson');
});

test('the key of the audit log is that of the environment, and an empty one is none', () => {
  const keyOf = (env: Record<string, string>): unknown => auditKey({ env } as unknown as Shell); // the member that is read
  expect([keyOf({}), keyOf({ MOORING_AUDIT_KEY: '' }), keyOf({ MOORING_AUDIT_KEY: 'k' })]).toEqual([
    undefined,
    undefined,
    'k',
  ]);
});

test.each<[string, string, string[] | RegExp]>([
  ['one list', `export default [rules.deny({ name: 'a' })];`, ['deny { name: a }']],
  [
    'a list with the name "policy" beside another',
    `export const policy = [rules.deny({ name: 'a' })];\nexport const other = [rules.allow({})];`,
    ['deny { name: a }'],
  ],
  [
    'one list beside other values',
    `export const mine = [rules.deny({ name: 'a' })];\nexport const n = [7];`,
    ['deny { name: a }'],
  ],
  [
    'two lists',
    `export const a = [rules.allow({})];\nexport const b = [rules.allow({})];`,
    /several arrays of rules: a, b/,
  ],
  ['no list', `export const a = rules.allow({});`, /exports no array of rules; export one array of rules/],
  ['a list of something else', `export const a = [{ text: 'x' }];`, /exports no array of rules/],
  ['a list with a rule and something else', `export const a = [rules.allow({}), 7];`, /exports no array of rules/],
  ['a list with null', `export const a = [null];`, /exports no array of rules/],
  ['a list of functions', `export const a = [{ decide() {} }];`, /exports no array of rules/],
  [
    'a "policy" that is none',
    `export const policy = [7];\nexport const other = [rules.allow({})];`,
    /the export "policy" is not an array of rules/,
  ],
])('the rules of a module with %s are found, or it is an error', async (_what, exports, expected) => {
  await using at = await folder();
  await writeFile(join(at.path, 'policy.ts'), policyModule(exports));
  const shell = { cwd: at.path, self: { command: '', args: [] } } as unknown as Shell; // the members that are read
  const loading = loadPolicy('policy.ts', shell);
  if (expected instanceof RegExp) await expect(loading).rejects.toThrow(expected);
  else expect(texts(await loading)).toEqual(expected);
});
