import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { act } from '../../../test/support/acts.ts';
import { HeldClock } from '../../../test/support/held-clock.ts';
import { verifies } from '../../../test/support/verifies.ts';
import type { Act } from '../act/act.ts';
import type { Rule } from '../act/rule.ts';
import { GateKeeper } from '../gate/gate-keeper.ts';
import { rules } from '../policy/rules.ts';
import { type Approval, type ApprovalStore, Approvals, memoryApprovals } from './approvals.ts';
import type { ConsentAnswer, ConsentQuestion } from './consent.ts';
import { fileApprovals } from './file-approvals.ts';

const HOUR = 3_600_000;
const skill = { server: 'files', uri: 'skill://a', definition: 'd1' };

/** A gate, and how often the user was asked. */
function asking(remember: ConsentAnswer['remember'], approvals?: ApprovalStore, policy: readonly Rule[] = []) {
  const clock = new HeldClock();
  const asked: Act[] = [];
  const consent = ({ act: of }: { readonly act: Act }): ConsentAnswer => {
    asked.push(of);
    return { allow: true, remember };
  };
  const gate = new GateKeeper({ policy, consent, approvals, clock });
  const pass = (facts: Partial<Act> = {}): Promise<string> =>
    gate.pass(act({ session: 's', definition: 'd1', fingerprint: 'f1', ...facts }), async ({ id }) => id);
  return { gate, clock, asked, pass };
}

async function folder(): Promise<{ readonly path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), 'mooring-approvals-'));
  return { path: join(path, 'kept'), [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}

describe('an approval', () => {
  test('without "remember" is valid once', async () => {
    const { asked, pass } = asking(undefined);
    await pass();
    await pass();
    expect(asked).toHaveLength(2);
  });

  test('for these arguments is not valid for others', async () => {
    const { asked, pass, gate } = asking({ for: 'these arguments', until: 'session' });
    await pass({ arguments: { a: 1, b: 2 } });
    const id = await pass({ arguments: { b: 2, a: 1 } });
    expect(asked).toHaveLength(1);
    const [approval] = await gate.approvals.list();
    expect(await gate.explain(id)).toMatchObject([
      { allowed: true, decision: { verdict: 'ask' }, approval: approval?.id },
      { phase: 'done' },
    ]);
    await pass({ arguments: { a: 1 } });
    expect(asked).toHaveLength(2);
  });

  test.each<[string, Partial<Act>]>([
    ['a changed definition', { definition: 'd2' }],
    ['no definition', { definition: undefined }],
    ['another server', { server: 'mail' }],
    ['another server under the same label', { fingerprint: 'f2' }],
    ['a server of which it is not known what is behind its label', { fingerprint: undefined }],
    ['another tool', { name: 'write_file' }],
    ['another kind', { kind: 'prompt' }],
    ['another principal', { principal: 'bob' }],
    ['another session', { session: 't' }],
    ['no session', { session: undefined }],
    ['a view that asks', { by: 'app', view: 'ui://a' }],
    ['what is done under a skill', { under: [skill] }],
  ])('for any arguments is not valid for %s', async (_what, other) => {
    const { asked, pass } = asking({ for: 'any arguments', until: 'session' });
    await pass();
    await pass({ arguments: { other: true } });
    expect(asked).toHaveLength(1);
    await pass(other);
    expect(asked).toHaveLength(2);
  });

  test.each<[string, Partial<Act>, Partial<Act>]>([
    ['another view', { by: 'app', view: 'ui://a' }, { by: 'app', view: 'ui://b' }],
    ['the user, who is no view', { by: 'app', view: 'ui://a' }, {}],
    ['another skill', { under: [skill] }, { under: [{ ...skill, uri: 'skill://b' }] }],
    ['another version of the skill', { under: [skill] }, { under: [{ ...skill, definition: 'd2' }] }],
    ['one more skill', { under: [skill] }, { under: [skill, { ...skill, server: 'web' }] }],
    ['no skill', { under: [skill] }, {}],
  ])('is not valid for %s', async (_what, approved, other) => {
    const { asked, pass } = asking({ for: 'any arguments', until: HOUR });
    await pass(approved);
    await pass({ ...approved, arguments: { other: true } });
    expect(asked).toHaveLength(1);
    await pass(other);
    expect(asked).toHaveLength(2);
  });

  test('of the host itself is not valid in a session', async () => {
    const { asked, pass } = asking({ for: 'any arguments', until: 'session' });
    await pass({ session: undefined });
    await pass({ session: undefined });
    expect(asked).toHaveLength(1);
    await pass({ session: 's' });
    expect(asked).toHaveLength(2);
  });

  test('under two skills is valid in whichever order they were loaded', async () => {
    const { asked, pass } = asking({ for: 'any arguments', until: 'session' });
    const both = [skill, { ...skill, server: 'web' }];
    await pass({ under: both });
    await pass({ under: both.toReversed() });
    expect(asked).toHaveLength(1);
  });

  test('for these arguments is valid for the same `_meta`, apart from the id of the trace', async () => {
    const { asked, pass } = asking({ for: 'these arguments', until: 'session' });
    await pass({ meta: { note: 'a', traceparent: '1' } });
    await pass({ meta: { note: 'a', traceparent: '2' } });
    expect(asked).toHaveLength(1);
    for (const meta of [{ note: 'b' }, {}, undefined]) await pass({ meta });
    expect(asked).toHaveLength(3);
  });

  test('is valid only for the rule that asked', async () => {
    const policy = [rules.noFlow('mail', 'files', { verdict: 'ask' })];
    const { asked, pass } = asking({ for: 'any arguments', until: 'session' }, undefined, policy);
    await pass();
    await pass({ carries: ['mail'] });
    expect(asked).toHaveLength(2);
  });

  test('does not override a deny', async () => {
    const store = memoryApprovals();
    const first = asking({ for: 'any arguments', until: HOUR }, store);
    await first.pass();
    const second = asking(undefined, store, [rules.deny({})]);
    await expect(second.pass()).rejects.toMatchObject({ code: 'MCP_DENIED' });
  });

  test('for a session ends with it', async () => {
    const { asked, pass, gate } = asking({ for: 'any arguments', until: 'session' });
    await pass();
    gate.endSession('other');
    await pass();
    gate.endSession('s');
    await pass();
    expect(asked).toHaveLength(2);
  });

  test('until a time expires then, and is valid in every session before', async () => {
    const { asked, pass, gate, clock } = asking({ for: 'any arguments', until: HOUR });
    await pass();
    await pass({ session: 't' });
    expect(asked).toHaveLength(1);
    await clock.pass(HOUR);
    expect(await gate.approvals.list()).toEqual([]);
    await pass();
    expect(asked).toHaveLength(2);
  });

  test.each(['session', HOUR] as const)('is listed and can be revoked: until %s', async (until) => {
    const { asked, pass, gate } = asking({ for: 'any arguments', until });
    await pass();
    const [approval, ...rest] = await gate.approvals.list();
    expect(rest).toEqual([]);
    expect(approval).toMatchObject({
      server: 'files',
      kind: 'tool',
      name: 'read_file',
      principal: 'ada',
      rule: 'none',
    });
    expect(await gate.approvals.revoke(approval?.id ?? '')).toBe(true);
    expect(await gate.approvals.revoke(approval?.id ?? '')).toBe(false);
    await pass();
    expect(asked).toHaveLength(2);
  });

  test('of edited arguments is valid for the edited ones', async () => {
    const asked: unknown[] = [];
    const consent = ({ act: of }: { readonly act: Act }): ConsentAnswer => {
      asked.push(of.arguments);
      return { allow: true, arguments: { path: 'b' }, remember: { for: 'these arguments', until: 'session' } };
    };
    const gate = new GateKeeper({ policy: [], consent });
    const pass = (path: string): Promise<unknown> =>
      gate.pass(act({ arguments: { path } }), async (permit) => permit.arguments, { editable: true });
    await pass('a');
    expect(await pass('b')).toEqual({ path: 'b' });
    await pass('a');
    expect(asked).toEqual([{ path: 'a' }, { path: 'a' }]);
  });

  test('of edited arguments is not stored if another rule asks about them', async () => {
    const policy = [rules.ask({ arguments: { to: 'boss' } }), rules.ask({ name: 'send' })];
    const asked: string[] = [];
    const consent = ({ rule }: ConsentQuestion): ConsentAnswer => {
      asked.push(rule);
      return { allow: true, arguments: { to: 'boss' }, remember: { for: 'any arguments', until: 'session' } };
    };
    const gate = new GateKeeper({ policy, consent });
    const send = (to: string): Promise<unknown> =>
      gate.pass(act({ name: 'send', arguments: { to } }), async () => 'sent', { editable: true });
    await send('ada');
    expect(await gate.approvals.list()).toEqual([]);
    await send('boss');
    expect(asked).toEqual(['ask { name: send }', 'ask { arguments: { to: boss } }']);
  });

  test('that cannot be stored does not stop the act, and one that cannot be read is asked for again', async () => {
    const broken: ApprovalStore = {
      list: () => Promise.reject(new Error('gone')),
      add: () => Promise.reject(new Error('full')),
      remove: () => Promise.reject(new Error('gone')),
    };
    const warnings: string[] = [];
    const gate = new GateKeeper({
      policy: [],
      consent: () => ({ allow: true, remember: { for: 'any arguments', until: 9e15 } }),
      approvals: broken,
      onWarning: (warning) => warnings.push(warning),
    });
    expect(await gate.pass(act(), async () => 'done')).toBe('done');
    expect(warnings).toEqual(['An approval could not be stored: full']);
  });

  test.each([{ for: 'ever', until: 'session' }, { for: 'any arguments' }, { for: 'any arguments', until: Number.NaN }])(
    'that is remembered in no known way is none: %j',
    async (remember) => {
      const { pass } = asking(remember as ConsentAnswer['remember']);
      await expect(pass()).rejects.toMatchObject({ code: 'MCP_DENIED' });
    },
  );
});

describe('a stored approval', () => {
  test('with an expiry ends at that very time, and is then removed from the store', async () => {
    const store = memoryApprovals();
    const approvals = new Approvals(store);
    await approvals.add(act(), 'none', { for: 'any arguments', until: 1_000 }, 0);
    expect(await approvals.list(999)).toHaveLength(1);
    expect(await store.list()).toHaveLength(1);
    expect(await approvals.list(1_000)).toEqual([]);
    expect(await store.list()).toEqual([]);
  });

  test('without an expiry in a store is ignored and removed', async () => {
    const store = memoryApprovals();
    await new Approvals(store).add(act(), 'none', { for: 'any arguments', until: 1_000 }, 0);
    const [{ until: _, ...endless } = { id: '' }] = await store.list();
    await store.add(endless as Approval); // another program could write this
    expect(await new Approvals(store).find(act(), 'none', 0)).toBeUndefined();
    expect(await store.list()).toEqual([]);
  });

  test('for a session is evicted, oldest first, beyond ten thousand, and asked for again', async () => {
    const approvals = new Approvals(memoryApprovals());
    const remember = { for: 'any arguments', until: 'session' } as const;
    const named = (n: number): Act => act({ session: 's', name: `tool-${n}` });
    for (let n = 0; n < 10_000; n++) await approvals.add(named(n), 'none', remember, 0);
    expect(await approvals.find(named(0), 'none', 0)).toBeDefined();
    await approvals.add(named(10_000), 'none', remember, 0);
    expect(await approvals.find(named(0), 'none', 0)).toBeUndefined();
    expect(await approvals.find(named(1), 'none', 0)).toBeDefined();
    expect(await approvals.list(0)).toHaveLength(10_000);
  });
});

describe('approvals in a folder', () => {
  test('outlive the host, and are readable only by their owner', async () => {
    verifies('HOST-30');
    await using at = await folder();
    const first = asking({ for: 'any arguments', until: HOUR }, fileApprovals(at.path));
    await first.pass();
    const second = asking(undefined, fileApprovals(at.path));
    await second.pass();
    expect(second.asked).toEqual([]);
    expect((await stat(at.path)).mode & 0o777).toBe(0o700);
    const [file = ''] = await readdir(at.path);
    expect((await stat(join(at.path, file))).mode & 0o777).toBe(0o600);
  });

  test('that another process revoked are no longer valid', async () => {
    await using at = await folder();
    const first = asking({ for: 'any arguments', until: HOUR }, fileApprovals(at.path));
    await first.pass();
    const other = fileApprovals(at.path);
    const [approval] = await other.list();
    expect(await other.remove(approval?.id ?? '')).toBe(true);
    await first.pass();
    expect(first.asked).toHaveLength(2);
  });

  test('that are damaged or misnamed approve nothing', async () => {
    await using at = await folder();
    const store = fileApprovals(at.path);
    const first = asking({ for: 'any arguments', until: HOUR }, store);
    await first.pass();
    const [approval] = await store.list();
    await writeFile(join(at.path, 'a.approval.json'), '{"id":"a"');
    await writeFile(join(at.path, 'b.approval.json'), JSON.stringify({ ...approval, id: 'c' }));
    await writeFile(join(at.path, 'd.approval.json'), JSON.stringify({ ...approval, id: 'd', until: 'ever' }));
    await writeFile(join(at.path, 'e.approval.json'), JSON.stringify({ ...approval, id: 'e', fingerprint: 1 }));
    expect(await store.list()).toEqual([approval]);
    expect(await store.remove('../../etc/passwd')).toBe(false);
  });

  test('are refused in a folder that other users can read', async () => {
    await using at = await folder();
    const store = fileApprovals(join(at.path, '..'));
    const { chmod } = await import('node:fs/promises');
    await chmod(join(at.path, '..'), 0o755);
    await expect(store.list()).rejects.toMatchObject({
      code: 'MCP_HOST_FILE',
      message: expect.stringContaining('chmod 700'),
    });
  });
});

test('expired approvals are removed before the others are listed, or the list fails', async () => {
  const ended: Approval = {
    id: 'a',
    server: 's',
    kind: 'tool',
    name: 'n',
    principal: 'ada',
    rule: 'r',
    until: 1,
    at: 0,
  };
  const store: ApprovalStore = {
    ...memoryApprovals(),
    list: async () => [ended],
    remove: () => Promise.reject(new Error('read-only')),
  };
  await expect(new Approvals(store).list(1)).rejects.toThrow('read-only');
});
