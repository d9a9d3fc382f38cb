/** Whoever looks at an act, or answers, or takes long: what happens is what was decided on. */
import { describe, expect, test, vi } from 'vitest';
import { act, everyKind } from '../../test/support/acts.ts';
import type { Act } from './act.ts';
import { memoryAudit } from './audit-memory.ts';
import type { ConsentAnswer, ConsentFunction } from './consent.ts';
import { GateKeeper } from './gate-keeper.ts';
import type { Rule } from './rule.ts';
import { rules } from './rules.ts';

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

describe('an act that is looked at', () => {
  const facts = { arguments: { path: 'notes.txt', deep: { list: ['a'] } }, carries: ['web'] };

  test.each(attempts)('stays as it is, whatever a rule does to it: %#', async (attempt) => {
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

  test.each(attempts)('stays as it is, whatever who is asked does to it: %#', async (attempt) => {
    const audit = memoryAudit();
    const consent: ConsentFunction = ({ act: one }) => {
      try {
        attempt(one as Mutable);
      } catch {
        // As somebody would who does not notice.
      }
      return { allow: true };
    };
    const gate = new GateKeeper({ policy: [rules.ask({})], audit, consent });
    expect(await gate.pass(act(facts), async (permit) => permit.arguments)).toEqual(facts.arguments);
    expect(audit.records[0]?.act).toMatchObject(act(facts));
  });

  test('belongs to the caller as before: only the copy is frozen', async () => {
    const own = act(facts);
    await new GateKeeper({ policy: [rules.allow({})] }).pass(own, async () => undefined);
    expect([Object.isFrozen(own), Object.isFrozen(own.arguments)]).toEqual([false, false]);
  });
});

describe('an answer that is none', () => {
  const ring: Record<string, unknown> = {};
  ring['self'] = ring;
  test.each<[string, () => unknown, string]>([
    ['has a number without end', () => ({ allow: true, arguments: { n: 1n } }), 'not JSON'],
    ['goes around in circles', () => ({ allow: true, arguments: ring }), 'not JSON'],
    ['turns into something else', () => ({ allow: true, arguments: { toJSON: () => 'text' } }), 'not JSON'],
    ['turns into nothing', () => ({ allow: true, arguments: { toJSON: () => undefined } }), 'not JSON'],
    [
      'throws when it is looked at',
      () => ({
        get allow(): boolean {
          throw new Error('boom');
        },
      }),
      'nobody could be asked',
    ],
  ])('because it %s is a refusal, and is on record', async (_what, answer, why) => {
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
