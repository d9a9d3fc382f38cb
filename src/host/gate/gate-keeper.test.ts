import { describe, expect, test } from 'vitest';
import { act, everyKind } from '../../../test/support/acts.ts';
import { HeldClock, settled } from '../../../test/support/held-clock.ts';
import { verifies } from '../../../test/support/verifies.ts';
import { McpError, RpcError, ToolError } from '../../errors.ts';
import type { Act, ActKind } from '../act/act.ts';
import { bindingOf } from '../act/binding.ts';
import type { Rule, Verdict } from '../act/rule.ts';
import type { Audit, AuditRecord } from '../audit/audit.ts';
import { memoryAudit } from '../audit/memory-audit.ts';
import type { ConsentAnswer, ConsentFunction, ConsentQuestion } from '../consent/consent.ts';
import { rules } from '../policy/rules.ts';
import type { PassOptions, Permit } from './gate.ts';
import { GateKeeper, type GateOptions } from './gate-keeper.ts';

const yes: ConsentFunction = () => ({ allow: true });
const never = (): Promise<never> => new Promise(() => undefined);

interface Tried {
  readonly outcome: unknown;
  readonly ran: readonly Permit[];
  readonly records: readonly AuditRecord[];
  readonly asked: readonly ConsentQuestion[];
}

/** Passes one act through a new gate. */
async function tried(options: Partial<GateOptions>, facts: Partial<Act> = {}, pass: PassOptions = {}): Promise<Tried> {
  const audit = memoryAudit();
  const ran: Permit[] = [];
  const asked: ConsentQuestion[] = [];
  const { consent } = options;
  const asking: ConsentFunction | undefined =
    typeof consent === 'function'
      ? (question, signal) => {
          asked.push(question);
          return consent(question, signal);
        }
      : undefined;
  const gate = new GateKeeper({ policy: [], audit, ...options, consent: asking });
  const outcome = await gate
    .pass(
      act(facts),
      async (permit) => {
        ran.push(permit);
        return 'result';
      },
      pass,
    )
    .catch((error: unknown) => error);
  return { outcome, ran, records: audit.records, asked };
}

test.each<[unknown]>([
  [{ for: ['these arguments'], until: 'session' }],
  [{ for: ['any arguments'], until: 'session' }],
  [{ for: 'everything', until: 'session' }],
  [{ for: 'any arguments', until: ['session'] }],
  [{ for: 'any arguments', until: '9000' }],
  [{ for: 'any arguments', until: Number.POSITIVE_INFINITY }],
  [{ for: 'any arguments' }],
  ['session'],
  [null],
])('an answer with the invalid "remember" %j counts as declined', async (remember) => {
  const consent = (): ConsentAnswer => ({ allow: true, remember: remember as NonNullable<ConsentAnswer['remember']> });
  const { ran, records } = await tried({ policy: [rules.ask({})], consent }, {});
  expect(ran).toEqual([]);
  expect(records.map(({ allowed }) => allowed)).toEqual([false]);
});

describe('every kind of act, every verdict, every answer', () => {
  const everything: Readonly<Record<Verdict, Rule>> = {
    allow: rules.allow({}),
    ask: rules.ask({}),
    deny: rules.deny({}),
  };
  const answers = new Map<string, ConsentFunction | undefined>([
    ['no user to ask', undefined],
    ['yes', yes],
    ['no', () => ({ allow: false })],
    ['something that is almost yes', () => ({ allow: 'yes' as unknown as boolean })],
    ['nothing', () => undefined as unknown as ConsentAnswer],
    ['an error', () => Promise.reject(new Error('the window was closed'))],
    ['a yes to another question', () => ({ allow: true, binding: 'f'.repeat(64) })],
    ['a yes to something changed', () => ({ allow: true, arguments: { path: 'other.txt' } })],
  ]);
  const rows = everyKind.flatMap((kind) =>
    (['allow', 'ask', 'deny'] as const).flatMap((verdict) =>
      [...answers.keys()].map((answer): [ActKind, Verdict, string] => [kind, verdict, answer]),
    ),
  );

  test('covers all combinations', () => {
    expect(rows).toHaveLength(15 * 3 * 8);
  });

  test.each(rows)('%s, %s, %s', async (kind, verdict, answer) => {
    verifies('HOST-3', 'HOST-4', 'HOST-33', 'TOOL-58', 'TOOL-59', 'TOOL-62');
    const happens = verdict === 'allow' || (verdict === 'ask' && answer === 'yes');
    const { outcome, ran, records, asked } = await tried(
      { policy: [everything[verdict]], consent: answers.get(answer) },
      { kind },
    );
    expect(ran).toHaveLength(happens ? 1 : 0);
    expect(asked).toHaveLength(verdict === 'ask' && answer !== 'no user to ask' ? 1 : 0);
    expect(records.map(({ phase, allowed }) => [phase, allowed])).toEqual(
      happens
        ? [
            ['decided', true],
            ['done', true],
          ]
        : [['decided', false]],
    );
    const binding = bindingOf(act({ kind }));
    expect(records[0]).toMatchObject({
      act: act({ kind }),
      binding,
      decision: { verdict, rule: `${verdict} everything` },
    });
    if (happens) expect(outcome).toBe('result');
    else expect(outcome).toMatchObject({ code: 'MCP_DENIED', details: { rule: `${verdict} everything` } });
  });
});

describe('the order of steps at the gate', () => {
  test('is facts, rules, consent, record, act, record', async () => {
    const order: string[] = [];
    const audit: Audit = { write: async ({ phase }) => void order.push(phase) };
    const policy: Rule[] = [{ text: 'a rule', decide: () => void order.push('rule') }];
    const consent: ConsentFunction = () => ({ allow: order.push('consent') > 0 });
    const gate = new GateKeeper({ policy, audit, consent });
    await gate.pass(act(), async () => order.push('act'));
    expect(order).toEqual(['rule', 'consent', 'decided', 'act', 'done']);
  });

  test.each(everyKind)('an act without a rule needs consent, and is denied without a user: %s', async (kind) => {
    verifies('HOST-16', 'HOST-17', 'HOST-19', 'HOST-22', 'HOST-23', 'SEC-001', 'SEC-002', 'TOOL-54');
    const { outcome, ran, records } = await tried({ policy: [rules.allow({ server: 'other' })] }, { kind });
    expect(ran).toEqual([]);
    expect(outcome).toMatchObject({ details: { rule: 'none', why: 'no rule matches, and no user can be asked' } });
    expect(records[0]?.decision).toEqual({ verdict: 'ask', rule: 'none', why: 'no rule matches' });
  });

  test.each(['allow', 'deny'] as const)('an act whose record cannot be written is denied: %s', async (verdict) => {
    const failing: Audit = { write: () => Promise.reject(new Error('no space left in /secret/place')) };
    const warnings: string[] = [];
    const onWarning = (warning: string): void => void warnings.push(warning);
    const { outcome, ran } = await tried({ policy: [rules[verdict]({})], audit: failing, onWarning });
    expect(ran).toEqual([]);
    expect(outcome).toMatchObject({ code: 'MCP_DENIED', details: { why: 'the audit log could not be written' } });
    expect(warnings).toEqual([
      'Actions are denied, because the audit log cannot be written: no space left in /secret/place',
    ]);
    expect(String(outcome)).not.toContain('secret');
  });

  test('an act returns its result even if its end cannot be recorded', async () => {
    const warnings: string[] = [];
    const audit: Audit = {
      write: ({ phase }) => (phase === 'decided' ? Promise.resolve() : Promise.reject(new Error('full'))),
    };
    const onWarning = (warning: string): void => void warnings.push(warning);
    const { outcome } = await tried({ policy: [rules.allow({})], audit, onWarning });
    expect(outcome).toBe('result');
    expect(warnings).toEqual(['The end of an action was not recorded: full']);
  });

  test('no rule and no consent handler can change an act after the decision', async () => {
    const args = { path: 'notes.txt' };
    const audit = memoryAudit();
    const consent: ConsentFunction = async () => {
      args.path = '/etc/passwd';
      return { allow: true };
    };
    const gate = new GateKeeper({ policy: [], audit, consent });
    const seen = await gate.pass(act({ arguments: args }), async (permit) => permit.arguments);
    expect(seen).toEqual({ path: 'notes.txt' });
    expect(audit.records[0]?.act.arguments).toEqual({ path: 'notes.txt' });
  });
});

test('a gate is attended if the user answers while the caller waits', () => {
  const ask = async (): Promise<ConsentAnswer> => ({ allow: true });
  const attended = (consent: GateOptions['consent']): boolean => new GateKeeper({ policy: [], consent }).attended;
  expect([attended(undefined), attended(yes), attended({ ask }), attended({ ask, later: true })]).toEqual([
    ...[false, true, true, false],
  ]);
});

describe('the question', () => {
  test('has everything that would be sent, the reason, and the binding', async () => {
    verifies('HOST-24', 'TOOL-55');
    const args = { path: 'notes.txt', text: 'x'.repeat(10_000), password: 'hunter2' };
    const { asked } = await tried({ consent: yes }, { arguments: args, status: 'suspicious' }, { warnings: ['Look'] });
    expect(asked[0]).toMatchObject({ act: { arguments: args }, why: 'no rule matches', editable: false });
    expect(asked[0]?.warnings).toEqual(['Look', 'What the server says about it is suspicious.']);
    expect(asked[0]?.binding).toMatch(/^[0-9a-f]{64}$/);
  });

  test('names the rule that asks, and says whether the answer can be remembered', async () => {
    const each: Rule = { text: 'each time', decide: () => ({ verdict: 'ask', why: 'it is new', once: true }) };
    const rulesOf = async (...policy: readonly Rule[]) => (await tried({ consent: yes, policy })).asked[0];
    expect(await rulesOf()).toMatchObject({ rule: 'none', why: 'no rule matches', canRemember: true });
    expect(await rulesOf(each)).toMatchObject({ rule: 'each time', why: 'it is new', canRemember: false });
  });

  test('warns about invisible characters only', async () => {
    const hidden = 'It contains characters that cannot be seen.';
    for (const text of ['a\u200bb', 'a\u202eb', '\u{e0041}', 'no\ufeffthing', 'a\u200db'])
      expect((await tried({ consent: yes }, { arguments: { text } })).asked[0]?.warnings).toEqual([hidden]);
    for (const text of ['plain', 'Grüße', '日本語', '❤️', '👩‍👩‍👧', '👍🏽'])
      expect((await tried({ consent: yes }, { arguments: { text } })).asked[0]?.warnings).toEqual([]);
  });

  test('binds to the requesting view, separately from _meta', () => {
    const [ofView, ofOther, along] = [{ view: 'ui://a' }, { view: 'ui://b' }, { meta: { view: 'ui://a' } }];
    expect(new Set([{}, ofView, ofOther, along].map((facts) => bindingOf(act(facts)))).size).toBe(4);
  });

  test('binds to definition, fingerprint, kind, server, name and arguments, whatever their order', () => {
    const one = act({ definition: 'a', arguments: { a: 1, b: { c: 2, d: 3 } } });
    const same = act({ definition: 'a', arguments: { b: { d: 3, c: 2 }, a: 1 } });
    expect(bindingOf(one)).toBe(bindingOf(same));
    const others: Partial<Act>[] = [
      { definition: 'b' },
      { fingerprint: 'f' },
      { kind: 'prompt' },
      { server: 'other' },
      { name: 'write_file' },
      { arguments: { a: 1 } },
    ];
    const bindings = others.map((other) => bindingOf({ ...one, ...other }));
    expect(new Set([bindingOf(one), ...bindings]).size).toBe(7);
  });

  test('a question is cancelled with its act, and nothing happens', async () => {
    verifies('HOST-33');
    const abort = new AbortController();
    let heard: AbortSignal | undefined;
    const consent: ConsentFunction = (_question, signal) => {
      heard = signal;
      abort.abort(new Error('never mind'));
      return never();
    };
    const { outcome, ran, records } = await tried({ consent }, {}, { signal: abort.signal });
    expect(ran).toEqual([]);
    expect(heard?.aborted).toBe(true);
    expect(outcome).toMatchObject({ code: 'MCP_CANCELLED' });
    expect(records).toMatchObject([{ phase: 'decided', allowed: false, decision: { verdict: 'ask' } }]);
  });

  test('an answer after the act was cancelled does not count', async () => {
    const abort = new AbortController();
    let answer: (answer: ConsentAnswer) => void = () => undefined;
    const consent: ConsentFunction = () => {
      queueMicrotask(() => abort.abort());
      return new Promise((resolve) => {
        answer = resolve;
      });
    };
    const { ran, outcome } = await tried({ consent }, {}, { signal: abort.signal });
    answer({ allow: true });
    await settled();
    expect(ran).toEqual([]);
    expect(outcome).toMatchObject({ code: 'MCP_CANCELLED' });
  });

  test('a question is cancelled when the gate is closed', async () => {
    let closed = false;
    const audit: Audit = {
      write: async () => undefined,
      close: async () => {
        closed = true;
      },
    };
    const gate = new GateKeeper({ policy: [], audit, consent: never });
    const passing = gate.pass(act(), async () => 'ran');
    await gate.close();
    await expect(passing).rejects.toMatchObject({ code: 'MCP_CANCELLED' });
    await expect(gate.pass(act(), async () => 'ran')).rejects.toMatchObject({ code: 'MCP_CANCELLED' });
    expect(closed).toBe(true);
  });

  test.each<[string, AuditRecord['phase'] | 'remember']>([
    ['its decision is written down', 'decided'],
    ['an approval is remembered', 'remember'],
  ])('an act that is cancelled while %s does not happen', async (_what, when) => {
    const abort = new AbortController();
    const records: AuditRecord[] = [];
    const audit: Audit = {
      async write(record) {
        records.push(record);
        if (when === record.phase) abort.abort(new Error('never mind'));
      },
    };
    const approvals = {
      list: async () => [],
      add: async () => void (when === 'remember' && abort.abort()),
      remove: async () => false,
    };
    const budget = rules.budget({}, { calls: 1, per: 'session' });
    const remember = { for: 'any arguments', until: 9e15 } as const;
    const gate = new GateKeeper({ policy: [budget], audit, approvals, consent: () => ({ allow: true, remember }) });
    const ran: string[] = [];
    const passing = gate.pass(act(), async ({ id }) => ran.push(id), { signal: abort.signal });
    await expect(passing).rejects.toMatchObject({ code: 'MCP_CANCELLED' });
    expect(ran).toEqual([]);
    expect(records).toMatchObject([
      { phase: 'decided', allowed: true },
      { phase: 'failed', outcome: 'cancelled' },
    ]);
    // Its share of the budget is released.
    await gate.pass(act(), async ({ id }) => ran.push(id));
    expect(ran).toHaveLength(1);
  });

  test('an act that is cancelled before the question asks no user', async () => {
    const { asked, records } = await tried({ consent: yes }, {}, { signal: AbortSignal.abort() });
    expect([asked, records]).toEqual([[], []]);
  });
});

describe('arguments that the user edited', () => {
  const edit =
    (args: object): ConsentFunction =>
    () => ({ allow: true, arguments: args as Record<string, unknown> });

  test('are sent, and marked in the record', async () => {
    verifies('SEEDF-12');
    const edited = { consent: edit({ path: 'b.txt' }) };
    const { ran, records } = await tried(edited, { kind: 'sampling' }, { editable: true });
    expect(ran[0]?.arguments).toEqual({ path: 'b.txt' });
    const changed = act({ kind: 'sampling', arguments: { path: 'b.txt' } });
    expect(records[0]).toMatchObject({
      act: changed,
      binding: bindingOf(changed),
      consent: { allow: true, edited: true },
    });
  });

  test('are evaluated again: what the rules deny stays denied', async () => {
    const policy = [rules.deny({ arguments: { path: /^\/etc/ } })];
    const { ran, outcome, records } = await tried(
      { policy, consent: edit({ path: '/etc/passwd' }) },
      {},
      { editable: true },
    );
    expect(ran).toEqual([]);
    expect(outcome).toMatchObject({ code: 'MCP_DENIED', details: { rule: 'deny { arguments: { path: /^\\/etc/ } }' } });
    expect(records).toMatchObject([{ allowed: false, decision: { verdict: 'deny' }, consent: { edited: true } }]);
  });

  test('must be an object', async () => {
    const { ran } = await tried({ consent: edit(['a']) }, {}, { editable: true });
    expect(ran).toEqual([]);
  });
});

describe('an audit record', () => {
  test('contains no secret, and neither does the error', async () => {
    const facts = { name: 'https://u:hunter2@example.test/?token=hunter2', arguments: { password: 'hunter2' } };
    const consent: ConsentFunction = () => ({ allow: false, reason: 'password=hunter2 is not for you' });
    const policy = [rules.ask({ name: 'https*' })];
    const { outcome, records } = await tried({ policy, consent }, { kind: 'visit', ...facts });
    expect(outcome).toMatchObject({ code: 'MCP_DENIED', message: expect.stringContaining('is not for you') });
    expect(`${String(outcome)} ${JSON.stringify(records)}`).not.toContain('hunter2');
  });

  test('has the reason why the user agreed, with secrets masked', async () => {
    const consent: ConsentFunction = () => ({ allow: true, reason: 'it is mine, password=hunter2' });
    const { records } = await tried({ consent });
    expect(records[0]?.consent).toEqual({ allow: true, edited: false, reason: 'it is mine, password=[masked]' });
  });

  test('has the reason why the user declined, if any, with secrets masked', async () => {
    const declined = async (answer: ConsentAnswer): Promise<Tried> => tried({ consent: () => answer });
    const { records, outcome } = await declined({ allow: false, reason: 'not mine, password=hunter2' });
    expect(records[0]?.consent).toEqual({ allow: false, edited: false, reason: 'not mine, password=[masked]' });
    expect(String(outcome)).toContain('the user declined: not mine, password=[masked]');
    const silent = await declined({ allow: false });
    expect(silent.records[0]?.consent).toEqual({ allow: false, edited: false });
    expect(String(silent.outcome)).not.toContain('undefined');
  });

  test('has a short outcome in the words of the host', async () => {
    const { records } = await tried({ policy: [rules.allow({})] }, {}, { outcome: (result) => `a ${typeof result}` });
    expect(records[1]).toMatchObject({ phase: 'done', outcome: 'a string' });
    const warnings: string[] = [];
    const failing: PassOptions = {
      outcome: () => {
        throw new Error('no words');
      },
    };
    const options = { policy: [rules.allow({})], onWarning: (warning: string): void => void warnings.push(warning) };
    expect((await tried(options, {}, failing)).outcome).toBe('result');
    expect(warnings).toEqual(['The outcome of an action could not be described: no words']);
  });

  test.each([
    [new McpError('MCP_CLOSED', { why: 'it ended' }), 'MCP_CLOSED'],
    [new RpcError(-32602, 'secret of the server'), 'RpcError -32602'],
    [new ToolError('secret of the server'), 'ToolError'],
    [new Error('secret of the server'), 'Error'],
  ])('has the kind of a failure without its message: %s', async (error, outcome) => {
    const audit = memoryAudit();
    const gate = new GateKeeper({ policy: [rules.allow({})], audit });
    await expect(gate.pass(act(), () => Promise.reject(error))).rejects.toBe(error);
    expect(audit.records[1]).toMatchObject({ phase: 'failed', outcome });
    expect(JSON.stringify(audit.records)).not.toContain('secret');
  });

  test('is found by the id of its act, in memory and in the audit log', async () => {
    const kept = memoryAudit();
    const gate = new GateKeeper({ policy: [rules.allow({ server: 'files' })], audit: kept });
    const id = await gate.pass(act(), async (permit) => permit.id);
    expect(await gate.explain(id)).toMatchObject([
      { phase: 'decided', decision: { rule: 'allow { server: files }', why: 'server is files' } },
      { phase: 'done' },
    ]);
    const other = new GateKeeper({ policy: [], audit: kept });
    expect(await other.explain(id)).toEqual(kept.records);
    expect(await other.explain('nothing')).toEqual([]);
    expect(await new GateKeeper({ policy: [] }).explain(id)).toEqual([]);
  });

  test('is kept in memory for the last thousand acts', async () => {
    const gate = new GateKeeper({ policy: [rules.allow({})] });
    const ids: string[] = [];
    for (let i = 0; i < 1_001; i++) ids.push(await gate.pass(act(), async ({ id }) => id));
    expect(await gate.explain(ids[0] ?? '')).toEqual([]);
    expect(await gate.explain(ids[1] ?? '')).toHaveLength(2);
  });

  test('is whole for an act that ends after a thousand others', async () => {
    const gate = new GateKeeper({ policy: [rules.allow({})], audit: memoryAudit() });
    const id = await gate.pass(act(), async (permit) => {
      for (let i = 0; i < 1_000; i++) await gate.pass(act(), async () => 'done');
      return permit.id;
    });
    expect(await gate.explain(id)).toMatchObject([{ phase: 'decided' }, { phase: 'done' }]);
  });
});

describe('a budget', () => {
  const policy = [rules.budget({ kind: 'tool' }, { calls: 2, per: 'session' }), rules.allow({})];

  test('counts allowed acts, per session, until the session ends', async () => {
    const gate = new GateKeeper({ policy });
    const call = (session: string): Promise<string> => gate.pass(act({ session }), async () => 'ok');
    await call('a');
    await call('a');
    await expect(call('a')).rejects.toMatchObject({ details: { why: '2 of 2 calls per session are used up' } });
    expect(await call('b')).toBe('ok');
    gate.endSession('a');
    expect(await call('a')).toBe('ok');
  });

  test('counts acts that wait for consent, and releases declined ones', async () => {
    const open: ((answer: ConsentAnswer) => void)[] = [];
    const consent: ConsentFunction = () => new Promise((resolve) => void open.push(resolve));
    const gate = new GateKeeper({ policy: policy.slice(0, 1), consent });
    const call = (): Promise<string> => gate.pass(act(), async () => 'ok');
    const [first, second] = [call(), call()];
    await settled();
    await expect(call()).rejects.toMatchObject({ code: 'MCP_DENIED' });
    for (const answer of open) answer({ allow: false });
    await Promise.allSettled([first, second]);
    const third = call();
    await settled();
    open.at(-1)?.({ allow: true });
    expect(await third).toBe('ok');
  });

  test('is released when the record cannot be written', async () => {
    let full = true;
    const audit: Audit = { write: () => (full ? Promise.reject(new Error('full')) : Promise.resolve()) };
    const gate = new GateKeeper({ policy, audit });
    for (let i = 0; i < 3; i++) await expect(gate.pass(act(), async () => 'ok')).rejects.toThrow('written');
    full = false;
    expect(await gate.pass(act(), async () => 'ok')).toBe('ok');
  });

  test('counts the actual cost, if known', async () => {
    const gate = new GateKeeper({ policy: [rules.budget({}, { tokens: 1_000, per: 'hour' }), rules.allow({})] });
    const sample = (tokens: number, spent: number): Promise<number> =>
      gate.pass(act({ tokens }), async () => spent, { tokens: () => spent });
    for (let i = 0; i < 4; i++) await sample(700, 100);
    await expect(sample(700, 100)).rejects.toThrow('400 of 1000 tokens per hour are used up, 700 more are wanted');
  });

  test.each([
    [0, true],
    [-1, false],
    [undefined, false],
  ])('is corrected to the actual cost, even if that is zero: %j', async (spent, isFree) => {
    const gate = new GateKeeper({ policy: [rules.budget({}, { tokens: 100, per: 'hour' }), rules.allow({})] });
    const sample = (): Promise<string> => gate.pass(act({ tokens: 100 }), async () => 'ok', { tokens: () => spent });
    await sample();
    expect(await sample().catch(() => 'denied')).toBe(isFree ? 'ok' : 'denied');
  });

  test('forgets acts after its window', async () => {
    const clock = new HeldClock();
    const gate = new GateKeeper({ policy: [rules.budget({}, { calls: 1, per: 'hour' }), rules.allow({})], clock });
    const call = (): Promise<string> => gate.pass(act(), async () => 'ok');
    await call();
    await clock.pass(3_599_000);
    await expect(call()).rejects.toMatchObject({ code: 'MCP_DENIED' });
    await clock.pass(20_000);
    expect(await call()).toBe('ok');
  });
});
