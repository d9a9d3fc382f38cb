import { describe, expect, test } from 'vitest';
import { act, everyKind } from '../../../test/support/acts.ts';
import { verifies } from '../../../test/support/verifies.ts';
import type { ToolAnnotations } from '../../model/parts.ts';
import type { Act } from '../act/act.ts';
import { claimsOf } from '../act/claims.ts';
import type { CountedActs, Decision, PolicyHistory, Rule } from '../act/rule.ts';
import type { ActMatch } from './act-match.ts';
import { BudgetCounters } from './budget-counters.ts';
import { decidePolicy } from './decide-policy.ts';
import { rules } from './rules.ts';

const nothing: PolicyHistory = { count: () => 0, tokens: () => 0 };
const so = (policy: readonly Rule[], facts: Partial<Act> = {}, history: PolicyHistory = nothing): Decision =>
  decidePolicy(policy, act(facts), history);
const applies = (match: ActMatch, facts: Partial<Act> = {}): boolean => so([rules.allow(match)], facts).rule !== 'none';

describe('a policy', () => {
  test('the first rule that applies decides', () => {
    const policy = [rules.deny({ name: 'delete_*' }), rules.allow({ server: 'files' }), rules.deny({})];
    expect(so(policy, { name: 'delete_all' })).toEqual({
      verdict: 'deny',
      rule: 'deny { name: delete_* }',
      why: 'name is delete_all',
    });
    expect(so(policy).verdict).toBe('allow');
    expect(so(policy, { server: 'mail' }).verdict).toBe('deny');
  });

  test('a policy asks if no rule applies', () => {
    expect(so([])).toEqual({ verdict: 'ask', rule: 'none', why: 'no rule matches' });
    expect(so([rules.allow({ server: 'mail' })]).verdict).toBe('ask');
  });

  test.each<[string, Rule['decide']]>([
    [
      'throws',
      () => {
        throw new Error('secret');
      },
    ],
    ['says something else', () => ({ verdict: 'maybe' as 'allow', why: '' })],
    ['is late', (() => Promise.resolve({ verdict: 'allow', why: '' })) as unknown as Rule['decide']],
    ['counts what it did not announce', (_act, history) => void history.count({ of: () => true, within: 'session' })],
  ])('a policy denies if a rule %s', (_what, decides) => {
    const policy = [{ text: 'mine', decide: decides }, rules.allow({})];
    const decision = decidePolicy(policy, act(), new BudgetCounters(policy).history(undefined, 0));
    expect(decision).toMatchObject({ verdict: 'deny', rule: 'mine' });
    expect(decision.why).not.toContain('secret');
  });
});

describe('a match', () => {
  test.each<[ActMatch, Partial<Act>, Partial<Act>]>([
    [{ server: 'files' }, {}, { server: 'files2' }],
    [{ server: ['mail', 'files'] }, {}, { server: 'web' }],
    [{ server: 'team-*' }, { server: 'team-a' }, { server: 'ateam-a' }],
    [{ kind: 'tool' }, {}, { kind: 'prompt' }],
    [{ kind: ['resource', 'prompt'] }, { kind: 'prompt' }, {}],
    [{ name: 'read_file' }, {}, { name: 'read_files' }],
    [{ name: 'read_*' }, {}, { name: 'reread_file' }],
    [{ name: '*_*e' }, {}, { name: 'readfile' }],
    [{ name: 'a*b*a' }, { name: 'abba' }, { name: 'aba*' }],
    [{ name: 'a*a' }, { name: 'aa' }, { name: 'a' }],
    [{ name: '*' }, { name: '' }, { name: 'x', server: 'files', kind: 'tool', principal: 'x' }],
    [{ name: /^read_/ }, {}, { name: 'write_file' }],
    [{ name: ['x', /FILE/i] }, {}, { name: 'y' }],
    [{ effects: 'read' }, { effects: 'read' }, {}],
    [{ effects: ['read', 'write'] }, { effects: 'write' }, { effects: 'destructive' }],
    [{ arguments: { path: 'notes.txt' } }, {}, { arguments: { path: 'other' } }],
    [{ arguments: { path: /\.txt$/ } }, {}, { arguments: { path: 'a.png' } }],
    [{ arguments: { path: ['a', 'notes.txt'] } }, {}, { arguments: {} }],
    [{ arguments: { n: (n) => Number(n) > 3 } }, { arguments: { n: 4 } }, { arguments: { n: 3 } }],
    [{ arguments: { n: 4, path: 'x' } }, { arguments: { n: 4, path: 'x', z: 1 } }, { arguments: { n: 4 } }],
    [{ arguments: { n: 1 } }, { arguments: { n: 1 } }, { arguments: { n: '1' } }],
    [{ arguments: { n: null } }, { arguments: { n: null } }, { arguments: {} }],
    [{ arguments: { to: /secret/ } }, { arguments: { to: ['secret'] } }, { arguments: { to: { deep: 'secret' } } }],
    [{ arguments: { constructor: /./ } }, { arguments: { constructor: 'own' } }, { arguments: {} }],
    [{ principal: 'ada' }, {}, { principal: 'bob' }],
    [{ principal: '' }, { principal: '' }, {}],
    [{ session: 's1' }, { session: 's1' }, {}],
    [{ status: ['approved', 'new'] }, { status: 'approved' }, {}],
    [{ where: ({ openWorld }) => openWorld }, {}, { openWorld: false }],
    [{ where: () => 'yes' as unknown as boolean }, {}, {}],
    [{ server: 'files', kind: 'tool', name: 'read_*' }, {}, { kind: 'prompt' }],
  ])('%j', (match, fitting, other) => {
    const odd = 'where' in match && match.where?.(act()) === ('yes' as unknown);
    const all = 'name' in match && match.name === '*';
    expect([applies(match, fitting), applies(match, other)]).toEqual([!odd, all]);
  });

  test('an empty match matches everything', () => {
    for (const kind of everyKind) expect(applies({}, { kind })).toBe(true);
  });

  test('a stateful regular expression gives the same result every time', () => {
    for (const name of [/read/g, /read/y, /read/gy]) {
      const rule = rules.allow({ name, arguments: { path: /notes/g } });
      expect([1, 2, 3, 4].map(() => so([rule]).verdict)).toEqual(['allow', 'allow', 'allow', 'allow']);
    }
  });

  test('a regular expression is not tested on very long text, which is denied rather than allowed', () => {
    const name = 'a'.repeat(100_000);
    const slow = /^a+b?$/;
    expect(so([rules.allow({ name: slow })], { name }).rule).toBe('none');
    expect(so([rules.deny({ name: slow })], { name }).verdict).toBe('deny');
    expect(so([rules.ask({ arguments: { path: slow } })], { arguments: { path: name } }).verdict).toBe('ask');
    expect(so([rules.allow({ name: 'a*' })], { name }).verdict).toBe('allow');
  });

  test('a regular expression that can take too long is rejected when the rule is created', () => {
    for (const slow of [/^(a+)+$/, /(\w+\s?)*!/i, /^(a*)*$/m, /(.)\1/, /(?<=a)b/]) {
      const why = `The rule: the expression ${slow} can take too long. Repeat nothing that can be read in two ways`;
      for (const rule of [rules.allow, rules.ask, rules.deny]) {
        expect(() => rule({ name: slow })).toThrow(why);
        expect(() => rule({ arguments: { path: ['notes', slow] } })).toThrow(why);
      }
    }
    const name = /^(?!\.)[\w-]+(\.[a-z]+)*\b/i;
    expect(so([rules.allow({ name })], { name: 'read-all.txt' }).verdict).toBe('allow');
  });

  test('a regular expression with many loops is tested on shorter text only', () => {
    const name = 'rm -rf /'.padEnd(150, 'x');
    const rule = rules.deny({ name: /rm.*-rf.*\/.*$/ });
    expect(so([rule], { name }).verdict).toBe('deny');
    expect(so([rule], { name: name.replace('rm', 'ls') }).rule).toBe('none');
    expect(so([rule], { name: 'x'.repeat(200) }).verdict).toBe('deny');
  });

  test('a regular expression is tested on up to 1,024 characters', () => {
    const [whole, longer] = ['a'.repeat(1_024), 'a'.repeat(1_025)];
    const verdicts = [whole, longer].map((name) => [
      so([rules.allow({ name: /^a*$/ })], { name }).rule !== 'none',
      so([rules.deny({ name: /^b*$/ })], { name }).rule !== 'none',
    ]);
    expect(verdicts).toEqual([
      [true, false],
      [false, true],
    ]);
  });

  test.each<[unknown, string]>([
    [{ servers: 'files' }, '"servers" is unknown; did you mean server'],
    [{ server: undefined }, '"server" must be text'],
    [{ server: [] }, '"server" must not be an empty list'],
    [{ server: '' }, '"server" must be text'],
    [{ kind: 'tools' }, '"kind" must be one of'],
    [{ effects: ['reads'] }, '"effects" must be one of'],
    [{ status: 'fine' }, '"status" must be one of'],
    [{ name: 7 }, '"name" must be text or a regular expression'],
    [{ principal: 7 }, '"principal" must be text'],
    [{ arguments: 'path' }, '"arguments" must be an object'],
    [{ arguments: {} }, '"arguments" must not be empty'],
    [{ arguments: { path: [], mode: 'w' } }, '"arguments" must not be empty'],
    [{ arguments: { path: undefined } }, '"arguments" must have values, regular expressions or functions'],
    [{ arguments: { path: ['a', { b: 1 }] } }, '"arguments" must have values, regular expressions or functions'],
    [{ where: true }, '"where" must be a function'],
  ])('an invalid match is rejected, because it would match too much: %j', (match, why) => {
    for (const rule of [rules.allow, rules.ask, rules.deny]) expect(() => rule(match as ActMatch)).toThrow(why);
  });
});

describe('what a server says of its own tools', () => {
  test.each<[ToolAnnotations | undefined, string, boolean]>([
    [undefined, 'destructive', true],
    [{}, 'destructive', true],
    [{ readOnlyHint: true }, 'read', true],
    [{ readOnlyHint: true, destructiveHint: true }, 'read', true],
    [{ readOnlyHint: false, destructiveHint: false }, 'write', true],
    [{ destructiveHint: true, openWorldHint: false }, 'destructive', false],
  ])('annotations have the defaults of the protocol: %j', (annotations, claimed, openWorld) => {
    verifies('TOOL-34');
    expect(claimsOf(annotations)).toMatchObject({ claimed, openWorld });
  });

  test('annotations allow nothing unless a rule, at any position, trusts that server', () => {
    verifies('HOST-25', 'TOOL-32', 'TOOL-33', 'SEC-002');
    const reads = { claimed: 'read', effects: 'unknown' } as const;
    const allow = rules.allow({ effects: 'read' });
    expect(so([allow], reads).verdict).toBe('ask');
    expect(so([rules.trustAnnotationsOf('mail'), allow], reads).verdict).toBe('ask');
    expect(so([rules.trustAnnotationsOf('mail', 'files'), allow], reads).verdict).toBe('allow');
    expect(so([allow, rules.trustAnnotationsOf('files')], reads).verdict).toBe('allow');
    expect(so([rules.trustAnnotationsOf('files')], reads).rule).toBe('none');
    expect(so([rules.trustAnnotationsOf('files'), allow], { claimed: 'read', effects: 'write' }).verdict).toBe('ask');
  });

  test('trust in annotations changes nothing else about the act: a rule that denies by name still does', () => {
    const facts = { server: 'shop', name: 'wipe', claimed: 'read', effects: 'unknown' } as const;
    const policy = [rules.trustAnnotationsOf('shop'), rules.deny({ name: 'wipe' }), rules.allow({ effects: 'read' })];
    expect(so(policy, facts)).toMatchObject({ verdict: 'deny', rule: 'deny { name: wipe }' });
    expect(so(policy, { ...facts, name: 'look' }).verdict).toBe('allow');
    const seen: Act[] = [];
    const copying: Rule = { text: 'copying', decide: (one) => void seen.push({ ...one }) };
    so([rules.trustAnnotationsOf('shop'), copying], facts);
    expect(seen).toEqual([act({ ...facts, effects: 'read' })]);
  });

  test('annotations against the interest of the server count without trust', () => {
    expect(so([rules.deny({ effects: 'destructive' })], { claimed: 'destructive' }).verdict).toBe('deny');
    expect(so([rules.ask({ effects: 'destructive' }), rules.allow({})], { claimed: 'destructive' }).verdict).toBe(
      'ask',
    );
    expect(so([rules.allow({ effects: 'destructive' })], { claimed: 'destructive' }).rule).toBe('none');
  });

  test.each<[string, () => Rule]>([
    ['no label', () => rules.trustAnnotationsOf()],
    ['nameless', () => rules.trustAnnotationsOf('')],
    ['one that has a name and one that has none', () => rules.trustAnnotationsOf('shop', '')],
    ['a number', () => rules.trustAnnotationsOf(7 as unknown as string)],
  ])('trustAnnotationsOf() rejects labels: %s', (_who, make) => {
    expect(make).toThrow('labels of servers');
  });
});

describe('a budget', () => {
  const counted = (calls: number, tokens = 0): PolicyHistory => ({ count: () => calls, tokens: () => tokens });

  test('a budget denies what exceeds it, with the amount used, and otherwise passes to the next rule', () => {
    const policy = [rules.budget({ server: 'files' }, { calls: 3, per: 'hour' }), rules.allow({})];
    expect(so(policy, {}, counted(2)).verdict).toBe('allow');
    expect(so(policy, {}, counted(3))).toEqual({
      verdict: 'deny',
      rule: 'budget { server: files } 3 calls per hour',
      why: '3 of 3 calls per hour are used up',
    });
    expect(so(policy, { server: 'mail' }, counted(99)).verdict).toBe('allow');
  });

  test('a budget counts the possible cost of an act in advance', () => {
    const policy = [rules.budget({}, { tokens: 100, per: { ms: 5 } }), rules.allow({})];
    expect(so(policy, { tokens: 40 }, counted(0, 60)).verdict).toBe('allow');
    expect(so(policy, { tokens: 41 }, counted(0, 60)).why).toBe(
      '60 of 100 tokens per 5 ms are used up, 41 more are wanted',
    );
    expect(so(policy, {}, counted(0, 100)).why).toBe('100 of 100 tokens per 5 ms are used up, 0 more are wanted');
    expect(so(policy, {}, counted(0, 99.5)).verdict).toBe('allow');
  });

  test.each([
    ['hour', 3_600_000],
    ['day', 86_400_000],
    [{ ms: 5_000 }, 5_000],
    [{ ms: 1 }, 1],
  ] as const)('per %j has room again after %i ms', (per, ms) => {
    const rule = rules.budget({}, { calls: 1, per });
    expect(rule.counts?.within).toEqual({ ms });
    const counters = new BudgetCounters([rule]);
    counters.reserve(act({ session: 'a' }), 0);
    const used = [0, ms - 1, ms * 1.1].map((now) => counters.counts('b', now)[0]?.calls);
    expect(used).toEqual([1, 1, 0]);
  });

  test('a budget counts only what it declared', () => {
    const history = new BudgetCounters([]).history(undefined, 0);
    const counted: CountedActs = { of: () => true, within: 'session' };
    for (const ask of [history.count, history.tokens]) expect(() => ask(counted)).toThrow('did not declare');
  });

  test('a budget per time continues when a session ends, and one per session still counts the others', () => {
    const policy = [rules.budget({}, { calls: 9, per: 'hour' }), rules.budget({}, { calls: 9, per: 'session' })];
    const counters = new BudgetCounters(policy);
    for (const session of ['0', 'b', undefined]) counters.reserve(act({ session }), 0);
    counters.endSession('0');
    const counted = (session?: string): number[] => counters.counts(session, 0).map(({ calls }) => calls);
    expect([counted('0'), counted('b'), counted()]).toEqual([
      [3, 0],
      [3, 1],
      [3, 1],
    ]);
  });

  test('a budget with a sliding window drops older acts, and never counts too little', () => {
    const rule = rules.budget({}, { calls: 1, per: 'day' });
    const counters = new BudgetCounters([rule]);
    const counts = rule.counts as CountedActs; // a budget counts
    const day = 24 * 3_600_000;
    counters.reserve(act({ tokens: 7 }), 1_000);
    const at = (now: number): number[] => {
      const history = counters.history(undefined, now);
      return [history.count(counts), history.tokens(counts)];
    };
    expect([at(1_000), at(day), at(day + 1_000)]).toEqual([
      [1, 7],
      [1, 7],
      [1, 7],
    ]);
    expect(at(1_000 + day * 1.01)).toEqual([0, 0]);
  });

  test.each([
    () => rules.budget({}, { per: 'hour' }),
    () => rules.budget({}, { calls: -1, per: 'hour' }),
    () => rules.budget({}, { calls: Number.NaN, per: 'hour' }),
    () => rules.budget({}, { calls: 1, per: 'week' as 'day' }),
    () => rules.budget({}, { calls: 1, per: { ms: 0 } }),
    () => rules.budget({}, { calls: 1, per: { ms: Number.POSITIVE_INFINITY } }),
    () => rules.budget({}, { calls: 1, per: undefined as unknown as 'day' }),
    () => rules.budget({}, { tokens: -1, per: 'hour' }),
    () => rules.budget({}, { calls: 9, tokens: Number.NaN, per: 'hour' }),
    () => rules.budget({}, undefined as unknown as { per: 'hour' }),
  ])('a budget that limits nothing is rejected', (make) => {
    expect(make).toThrow('The rule');
  });

  test('a budget with a misspelled limit is rejected, because it would limit nothing', () => {
    const limits = { calls: 9, token: 100, per: 'hour' } as const;
    expect(() => rules.budget({}, limits)).toThrow('The rule: there is no option "token"; did you mean tokens');
  });
});

describe('no flow', () => {
  test('noFlow denies acts that carry text, or asks with verdict: ask', () => {
    const facts = { server: 'web', carries: ['mail'] };
    expect(so([rules.noFlow('mail', 'web')], facts)).toEqual({
      verdict: 'deny',
      rule: 'noFlow mail to web',
      why: 'it carries text of mail',
    });
    expect(so([rules.noFlow('mail', 'web', { verdict: 'ask' })], facts).verdict).toBe('ask');
    expect(so([rules.noFlow(['notes', 'mail'], 'w*')], facts).verdict).toBe('deny');
    expect(so([rules.noFlow('notes', 'web')], facts).rule).toBe('none');
    expect(so([rules.noFlow('mail', 'shop')], facts).rule).toBe('none');
  });

  test('noFlow does not apply to opening servers, which sends nothing of the session', () => {
    for (const kind of ['spawn', 'connect'] as const)
      expect(so([rules.noFlow('mail', 'web', { after: 'read' })], { kind, server: 'web' }).rule).toBe('none');
  });

  test('noFlow asks after anything was read, with after: read', () => {
    const policy = [rules.noFlow('mail', 'web', { after: 'read' }), rules.allow({})];
    const counters = new BudgetCounters(policy);
    const on = (facts: Partial<Act>): Decision => so(policy, facts, counters.history(facts.session, 0));
    const web = { server: 'web', session: 's' };
    counters.reserve(act({ server: 'mail', kind: 'connect', session: 's' }), 0);
    counters.reserve(act({ server: 'mail', session: 'other' }), 0);
    for (const server of ['web', 'shop']) counters.reserve(act({ server, session: 's' }), 0);
    expect(on(web).verdict).toBe('allow');
    counters.reserve(act({ server: 'mail', kind: 'resource', session: 's' }), 0);
    expect(on(web)).toMatchObject({ verdict: 'ask', why: 'something of mail was read in this session' });
    expect(on({ ...web, carries: ['mail'] }).verdict).toBe('deny');
    expect(on({ server: 'shop', session: 's' }).verdict).toBe('allow');
  });

  test('noFlow does not ask after reading from the receiving server itself, even if it is also a source', () => {
    const policy = [rules.noFlow('*', 'web', { after: 'read' }), rules.allow({})];
    const counters = new BudgetCounters(policy);
    const verdict = (): string => so(policy, { server: 'web', session: 's' }, counters.history('s', 0)).verdict;
    counters.reserve(act({ server: 'web', session: 's' }), 0);
    expect(verdict()).toBe('allow');
    counters.reserve(act({ server: 'mail', session: 's' }), 0);
    expect(verdict()).toBe('ask');
  });

  test('noFlow with a misspelled option is rejected', () => {
    const options = { afer: 'read' } as { after?: 'read' };
    expect(() => rules.noFlow('mail', 'web', options)).toThrow('there is no option "afer"; did you mean after');
  });

  test('noFlow counts nothing for the audit, unless it asks after a read', () => {
    const rulesWithout = [rules.noFlow('mail', 'web'), rules.noFlow('mail', 'web', { verdict: 'ask' })];
    expect(new BudgetCounters(rulesWithout).counts('s', 0)).toEqual([]);
  });

  test.each(everyKind)('noFlow applies to %s if it sends something', (kind) => {
    const stays = ['spawn', 'connect', 'message', 'context', 'download'].includes(kind);
    const facts: Partial<Act> = { kind, server: 'web', carries: ['mail'] };
    expect(so([rules.noFlow('mail', 'web')], facts).rule).toBe(stays ? 'none' : 'noFlow mail to web');
    expect(so([rules.noFlow('mail', 'web')], { ...facts, by: 'app' }).verdict).toBe(stays ? 'ask' : 'deny');
  });

  test.each(everyKind)('noFlow counts %s as reading if its result is text of the server', (kind) => {
    const policy = [rules.noFlow('mail', 'web', { after: 'read' }), rules.allow({})];
    const counters = new BudgetCounters(policy);
    counters.reserve(act({ server: 'mail', kind, session: 's' }), 0);
    const isQuiet = ['spawn', 'connect', 'roots', 'visit', 'download'].includes(kind);
    const { verdict } = so(policy, { server: 'web', session: 's' }, counters.history('s', 0));
    expect(verdict).toBe(isQuiet ? 'allow' : 'ask');
  });

  test('noFlow needs the labels of servers', () => {
    expect(() => rules.noFlow([], 'web')).toThrow('labels of servers');
    expect(() => rules.noFlow('mail', '')).toThrow('labels of servers');
    expect(() => rules.noFlow(['mail', ''], 'web')).toThrow('labels of servers');
    expect(() => rules.noFlow('mail', [7 as unknown as string])).toThrow('labels of servers');
  });
});

describe('the text of a rule', () => {
  test.each<[Rule, string]>([
    [rules.allow({}), 'allow everything'],
    [rules.deny({ server: 'files', name: /^delete_/ }), 'deny { server: files, name: /^delete_/ }'],
    [rules.ask({ kind: ['tool', 'prompt'] }), 'ask { kind: [tool, prompt] }'],
    [rules.ask({ arguments: { to: /@/, n: [1, null] } }), 'ask { arguments: { to: /@/, n: [1, null] } }'],
    [rules.allow({ where: (one) => one.openWorld }), 'allow { where: function }'],
    [
      rules.allow({
        where: function nearby() {
          return true;
        },
      }),
      'allow { where: function nearby }',
    ],
    [
      rules.budget({ kind: 'sampling' }, { calls: 5, tokens: 20_000, per: 'session' }),
      'budget { kind: sampling } 5 calls and 20000 tokens per session',
    ],
    [rules.budget({}, { tokens: 100, per: { ms: 5 } }), 'budget everything 100 tokens per 5 ms'],
    [rules.budget({}, { calls: 3, per: 'hour' }), 'budget everything 3 calls per hour'],
    [
      rules.noFlow('mail', ['web', 'shop'], { verdict: 'ask', after: 'read' }),
      'noFlow mail to [web, shop], ask, after read',
    ],
    [rules.trustAnnotationsOf('shop', 'files'), 'trustAnnotationsOf shop, files'],
    [rules.deny({ name: 'a\u001b[2J' }), 'deny { name: a\\u001b[2J }'],
  ])('the text of a rule is how it is written: %#', (rule, text) => {
    expect(rule.text).toBe(text);
  });

  test('the reason of a decision names facts, but no values of arguments', () => {
    const match: ActMatch = { name: '*', effects: 'destructive', arguments: { password: /./ }, where: () => true };
    const facts = { name: 'https://u:p@h/?token=x\u0007', arguments: { password: 'hunter2' } };
    expect(so([rules.deny(match)], facts).why).toBe(
      'name is https://[masked]@h/?token=[masked], effects are unknown (claimed: destructive), argument password matches, its function matches',
    );
    const agreed: Partial<Act> = { effects: 'read', claimed: 'read' };
    expect(so([rules.deny({ effects: 'read' })], agreed).why).toBe('effects are read');
    expect(so([rules.deny({ name: '*' })], { name: 'x'.repeat(500) }).why).toHaveLength(129);
  });
});
