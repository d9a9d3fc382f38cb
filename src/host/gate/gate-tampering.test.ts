/** Tests that the executed act is the decided one, even if rules or consent handlers modify it or the definition changes (TOCTOU). */
import { describe, expect, test, vi } from 'vitest';
import { act, everyKind } from '../../../test/support/acts.ts';
import { McpError } from '../../errors.ts';
import type { Act } from '../act/act.ts';
import type { Rule } from '../act/rule.ts';
import { memoryAudit } from '../audit/memory-audit.ts';
import type { ConsentAnswer, ConsentFunction } from '../consent/consent.ts';
import { rules } from '../policy/rules.ts';
import { GateKeeper } from './gate-keeper.ts';

type Mutable = { -readonly [K in keyof Act]: Act[K] } & { arguments: Record<string, unknown>; carries: string[] };

const attempts: readonly ((one: Mutable) => unknown)[] = [
  (one) => (one.name = 'wipe'),
  (one) => (one.effects = 'read'),
  (one) => (one.arguments = {}),
  (one) => (one.arguments['path'] = '/etc/passwd'),
  (one) => ((one.arguments['deep'] as { list: unknown[] }).list[0] = '/etc/passwd'),
  (one) => one.carries.push('mail'),
  (one) => delete one.arguments['path'],
];

describe('an act that a rule or consent handler gets', () => {
  const facts = { arguments: { path: 'notes.txt', deep: { list: ['a'] } }, carries: ['web'] };

  test.each(attempts)('cannot be changed by a rule: %#', async (attempt) => {
    const audit = memoryAudit();
    const meddling: Rule = { text: 'meddling', decide: (one) => void attempt(one as Mutable) };
    const gate = new GateKeeper({ policy: [meddling, rules.allow({})], audit });
    const ran = vi.fn(async () => undefined);
    await expect(gate.pass(act(facts), ran)).rejects.toMatchObject({
      code: 'MCP_DENIED',
      details: { rule: 'meddling' },
    });
    expect(ran).not.toHaveBeenCalled();
    expect(audit.records[0]?.act).toMatchObject(facts);
  });

  test.each(attempts)('cannot be changed by a consent handler: %#', async (attempt) => {
    const audit = memoryAudit();
    const consent: ConsentFunction = ({ act: one }) => {
      try {
        attempt(one as Mutable);
      } catch {
        // As a user who does not notice would.
      }
      return { allow: true };
    };
    const gate = new GateKeeper({ policy: [rules.ask({})], audit, consent });
    expect(await gate.pass(act(facts), async (permit) => permit.arguments)).toEqual(facts.arguments);
    expect(audit.records[0]?.act).toMatchObject(act(facts));
  });

  test('is a frozen copy: the object of the caller stays mutable', async () => {
    const own = act(facts);
    await new GateKeeper({ policy: [rules.allow({})] }).pass(own, async () => undefined);
    expect([Object.isFrozen(own), Object.isFrozen(own.arguments)]).toEqual([false, false]);
  });
});

describe('an act that the user agreed to', () => {
  const agreed = act({ definition: 'a', fingerprint: 'f' });
  const changes: readonly [string, () => Promise<Pick<Act, 'definition' | 'fingerprint'> | undefined>, string][] = [
    ['is defined otherwise', async () => ({ definition: 'b', fingerprint: 'f' }), 'its definition changed while'],
    ['is no longer defined', async () => ({ fingerprint: 'f' }), 'its definition changed while'],
    ['has vanished', async () => undefined, 'no longer offers it'],
    [
      'is behind another address',
      async () => ({ definition: 'a', fingerprint: 'g' }),
      'another server took over its label',
    ],
    ['is behind an address that is not known', async () => ({ definition: 'a' }), 'another server took over its label'],
    ['cannot be looked at', () => Promise.reject(new Error('secret')), 'a check whether it changed'],
  ];

  test.each(changes)('is denied if %s', async (_what, current, why) => {
    for (const kind of everyKind) {
      const audit = memoryAudit();
      const consent: ConsentFunction = () => ({ allow: true, remember: { for: 'any arguments', until: 'session' } });
      const policy = [rules.budget({}, { calls: 1, per: 'session' })];
      const gate = new GateKeeper({ policy, audit, consent });
      const ran = vi.fn(async () => undefined);
      const error: unknown = await gate.pass({ ...agreed, kind }, ran, { current }).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: 'MCP_DENIED', message: expect.stringContaining(why) });
      expect(String(error)).not.toContain('secret');
      expect(ran).not.toHaveBeenCalled();
      expect(audit.records).toMatchObject([{ phase: 'decided', allowed: false, consent: { allow: true } }]);
      expect(await gate.approvals.list()).toEqual([]);
      // Its share of the budget is released.
      await gate.pass({ ...agreed, kind }, ran, { current: async () => agreed });
      expect(ran).toHaveBeenCalledOnce();
    }
  });

  test('runs if it is unchanged, and is not checked again without a question', async () => {
    const current = vi.fn(async () => ({ definition: 'a', fingerprint: 'f' }));
    const asking = new GateKeeper({ policy: [], consent: () => ({ allow: true }) });
    expect(await asking.pass(agreed, async () => 'done', { current })).toBe('done');
    expect(current).toHaveBeenCalledOnce();
    await new GateKeeper({ policy: [rules.allow({})] }).pass(agreed, async () => 'done', { current });
    expect(current).toHaveBeenCalledOnce();
  });

  test('is denied if it had no definition or fingerprint and has one now', async () => {
    const gate = new GateKeeper({ policy: [], consent: () => ({ allow: true }) });
    for (const now of [{ definition: 'a' }, { fingerprint: 'f' }])
      await expect(gate.pass(act(), async () => 'done', { current: async () => now })).rejects.toMatchObject({
        code: 'MCP_DENIED',
      });
  });

  test('is denied by a rule that denies the edited act, without another check', async () => {
    const current = vi.fn(async () => undefined);
    const consent: ConsentFunction = () => ({ allow: true, arguments: { path: '/etc/passwd' } });
    const gate = new GateKeeper({ policy: [rules.deny({ arguments: { path: /^\/etc/ } })], consent });
    const passing = gate.pass(agreed, async () => 'done', { editable: true, current });
    await expect(passing).rejects.toMatchObject({ details: { rule: 'deny { arguments: { path: /^\\/etc/ } }' } });
    expect(current).not.toHaveBeenCalled();
  });

  test('is not checked again after a decline', async () => {
    const current = vi.fn(async () => undefined);
    const gate = new GateKeeper({ policy: [], consent: () => ({ allow: false, reason: 'not today' }) });
    await expect(gate.pass(agreed, async () => 'done', { current })).rejects.toThrow('not today');
    expect(current).not.toHaveBeenCalled();
  });

  test('is denied with the error code if the check fails, without the message', async () => {
    const gate = new GateKeeper({ policy: [], consent: () => ({ allow: true }) });
    const closed = new McpError('MCP_CLOSED', { why: 'the secret ended' });
    const failing = gate.pass(agreed, async () => 'done', { current: () => Promise.reject(closed) });
    await expect(failing).rejects.toThrow(/while the user was asked failed \(MCP_CLOSED\)/);
    const broken = gate.pass(agreed, async () => 'done', { current: () => Promise.reject(new Error('secret')) });
    await expect(broken).rejects.toThrow(/while the user was asked failed \(rule/);
  });

  test('is checked again if the user edited it', async () => {
    const gate = new GateKeeper({ policy: [], consent: () => ({ allow: true, arguments: { path: 'b.txt' } }) });
    const options = { editable: true, current: async () => ({ definition: 'b', fingerprint: 'f' }) };
    await expect(gate.pass(agreed, async () => 'done', options)).rejects.toThrow('its definition changed');
  });
});

describe('an invalid consent answer', () => {
  const ring: Record<string, unknown> = {};
  ring['self'] = ring;
  test.each<[string, () => unknown, string]>([
    ['has a number without end', () => ({ allow: true, arguments: { n: 1n } }), 'not a JSON object'],
    ['goes around in circles', () => ({ allow: true, arguments: ring }), 'not a JSON object'],
    ['turns into something else', () => ({ allow: true, arguments: { toJSON: () => 'text' } }), 'not a JSON object'],
    ['turns into nothing', () => ({ allow: true, arguments: { toJSON: () => undefined } }), 'not a JSON object'],
    [
      'throws when it is looked at',
      () => ({
        get allow(): boolean {
          throw new Error('boom');
        },
      }),
      'the user could not be asked',
    ],
  ])('that %s counts as declined, and is recorded', async (_what, answer, why) => {
    for (const kind of everyKind) {
      const audit = memoryAudit();
      const gate = new GateKeeper({ policy: [], audit, consent: () => answer() as ConsentAnswer });
      const ran = vi.fn(async () => undefined);
      const passing = gate.pass(act({ kind }), ran, { editable: true });
      await expect(passing).rejects.toMatchObject({ code: 'MCP_DENIED', message: expect.stringContaining(why) });
      expect(ran).not.toHaveBeenCalled();
      expect(audit.records).toMatchObject([{ phase: 'decided', allowed: false }]);
    }
  });
});
