import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { act, everyKind } from '../../../test/support/acts.ts';
import { HeldClock, settled } from '../../../test/support/held-clock.ts';
import type { Act } from '../act/act.ts';
import type { Rule } from '../act/rule.ts';
import type { AuditRecord } from '../audit/audit.ts';
import { memoryAudit } from '../audit/memory-audit.ts';
import type { ConsentAnswer } from '../consent/consent.ts';
import { GateKeeper } from '../gate/gate-keeper.ts';
import { rehearse } from './rehearse.ts';
import { rules } from './rules.ts';

/** The audit records of these acts under this policy. */
async function history(policy: readonly Rule[], acts: readonly Partial<Act>[]): Promise<readonly AuditRecord[]> {
  const audit = memoryAudit();
  const gate = new GateKeeper({ policy, audit, consent: () => ({ allow: true }), clock: new HeldClock() });
  for (const facts of acts) await gate.pass(act(facts), async () => 'said').catch(() => undefined);
  return audit.records;
}

describe('rehearsing', () => {
  test('rehearse() reports changed verdicts with their rule, count and an example', async () => {
    const policy = [rules.allow({ server: 'files' })];
    const acts = [{}, {}, { name: 'delete_file' }, { server: 'web' }, { server: 'mail' }];
    const records = await history(policy, acts);
    const next = [rules.deny({ name: 'delete_*' }), rules.ask({ server: 'files' }), rules.allow({ server: 'mail' })];
    const { decisions, unchanged, changes, undecidable } = await rehearse(next, records);
    expect([decisions, unchanged, undecidable]).toEqual([5, 1, []]);
    expect(changes.map(({ from, to, rule, count, example }) => [from, to, rule, count, example.act.name])).toEqual([
      ['allow', 'ask', 'ask { server: files }', 2, 'read_file'],
      ['allow', 'deny', 'deny { name: delete_* }', 1, 'delete_file'],
      ['ask', 'allow', 'allow { server: mail }', 1, 'read_file'],
    ]);
    expect(changes[0]?.example.id).toBe(records[0]?.id);
  });

  test('rehearse() trusts the servers that the new policy trusts', async () => {
    const records = await history([], [{ claimed: 'read' }, { claimed: 'destructive' }]);
    const { changes } = await rehearse([rules.trustAnnotationsOf('files'), rules.allow({ effects: 'read' })], records);
    expect(changes).toMatchObject([{ from: 'ask', to: 'allow', count: 1 }]);
  });

  test('rehearse() counts for the budgets of the new policy', async () => {
    const records = await history([rules.allow({})], [{}, {}, {}, { server: 'mail' }, {}]);
    const next = [rules.budget({ server: 'files' }, { calls: 2, per: 'session' }), rules.allow({})];
    expect((await rehearse(next, records)).changes).toMatchObject([{ from: 'allow', to: 'deny', count: 2 }]);
  });

  test('rehearse() reads records from an audit file', async () => {
    const records = await history([], [{}]);
    async function* read(): AsyncGenerator<AuditRecord> {
      yield* records;
    }
    expect(await rehearse([rules.deny({})], read())).toMatchObject({ decisions: 1, changes: [{ to: 'deny' }] });
  });
});

describe('what is not on record', () => {
  const why = async (next: readonly Rule[], facts: Partial<Act>, policy: readonly Rule[] = []): Promise<unknown> => {
    const { changes, unchanged, undecidable } = await rehearse(next, await history(policy, [facts]));
    return undecidable[0]?.why ?? (changes.length > 0 ? 'changed' : unchanged);
  };
  const secret = { arguments: { path: 'a', password: 'hunter2', list: [{ token: 'x' }] } };
  const incomplete = 'an argument is masked or cut in the record';

  test('rehearse() does not decide if a rule needs masked arguments', async () => {
    expect(await why([rules.allow({ arguments: { password: /2$/ } })], secret)).toBe(incomplete);
    const deep = rules.allow({ where: ({ arguments: { list } }) => (list as { token: string }[])[0]?.token === 'x' });
    expect(await why([deep], secret)).toBe(incomplete);
    expect(await why([rules.allow({ arguments: { path: 'a' } })], secret)).toBe('changed');
    expect(await why([rules.allow({ arguments: { text: /x/ } })], { arguments: { text: 'x'.repeat(9_999) } })).toBe(
      incomplete,
    );
  });

  test('rehearse() does not decide if a rule needs a masked name', async () => {
    const facts = { kind: 'visit', name: 'https://example.test/?token=abc', claimed: 'read' } as const;
    const policy = [rules.trustAnnotationsOf('files'), rules.deny({ kind: 'visit' })];
    expect(await why([rules.allow({ name: 'https*' })], facts)).toBe('the name is masked or cut in the record');
    expect(await why([rules.trustAnnotationsOf('files'), rules.allow({ effects: 'read' })], facts, policy)).toBe(
      'changed',
    );
  });

  test('rehearse() does not decide if a rule needs the sources of text that were not watched', async () => {
    const next = [rules.noFlow('mail', 'web')];
    expect(await why(next, { server: 'web' })).toBe('the record does not say from which servers it carried text');
    expect(await why(next, { server: 'files' })).toBe(1);
    expect(await why([...next, rules.allow({})], { server: 'web' }, next)).toBe('changed');
  });

  test('rehearse() does not decide if a record lacks members', async () => {
    const [record] = await history([], [{}]);
    const { claimed: _, ...less } = act();
    const older = { ...record, act: less } as unknown as AuditRecord; // wrong on purpose
    expect(await rehearse([rules.deny({})], [older])).toMatchObject({ decisions: 1, undecidable: [{ count: 1 }] });
  });
});

describe('the policy that was in force', () => {
  const facts: fc.Arbitrary<Partial<Act>> = fc.record({
    kind: fc.constantFrom(...everyKind),
    server: fc.constantFrom('files', 'mail', 'web'),
    name: fc.constantFrom('read', 'send', 'https://example.test/?token=abc'),
    session: fc.constantFrom('a', 'b'),
    effects: fc.constantFrom('unknown', 'read'),
    claimed: fc.constantFrom('read', 'write', 'destructive'),
    arguments: fc.constantFrom({}, { to: 'ada' }, { to: 'eve', password: 'x' }),
    tokens: fc.constantFrom(0, 5, 50),
  });
  const match = fc.constantFrom(
    { server: 'files' },
    { effects: 'read' as const },
    { name: /^re/ },
    { kind: 'tool' as const },
    { arguments: { to: 'ada' } },
    { where: ({ openWorld }: Act) => openWorld },
  );
  const rule: fc.Arbitrary<Rule> = fc.oneof(
    fc.tuple(fc.constantFrom(rules.allow, rules.ask, rules.deny), match).map(([make, one]) => make(one)),
    fc.tuple(match, fc.integer({ min: 0, max: 4 })).map(([one, calls]) => rules.budget(one, { calls, per: 'session' })),
    match.map((one) => rules.budget(one, { tokens: 60, per: 'hour' })),
    fc.constantFrom(rules.noFlow('mail', 'web', { after: 'read' }), rules.trustAnnotationsOf('files', 'web')),
  );

  test('rehearse() finds no changes for the policy that was in force, also with concurrent acts', async () => {
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(rule, { maxLength: 5 }), fc.array(facts, { maxLength: 12 }), async (policy, acts) => {
        const audit = memoryAudit();
        const open: ((answer: ConsentAnswer) => void)[] = [];
        const consent = (): Promise<ConsentAnswer> => new Promise((resolve) => void open.push(resolve));
        const gate = new GateKeeper({ policy, audit, consent, clock: new HeldClock() });
        const all = acts.map((one) => gate.pass(act(one), async () => 'said', { editable: true }));
        const over = Promise.allSettled(all);
        await settled();
        // Answered in a different order than asked, some with changed arguments.
        for (const [i, answer] of open.reverse().entries())
          answer({ allow: i % 3 > 0, ...(i % 3 === 1 ? { arguments: { to: 'bob' } } : {}) });
        await over;
        const { changes, unchanged } = await rehearse(policy, audit.records);
        expect(changes).toEqual([]);
        compared += unchanged;
      }),
      { numRuns: 100 },
    );
    expect(compared).toBeGreaterThan(100);
  });
});
