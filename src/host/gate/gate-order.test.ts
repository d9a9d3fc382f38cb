/** Tests the order of steps at the gate, its clocks, and that a closed gate lets no act pass. */
import process from 'node:process';
import { describe, expect, test } from 'vitest';
import { act } from '../../../test/support/acts.ts';
import { HeldClock, settled } from '../../../test/support/held-clock.ts';
import { request } from '../../jsonrpc/message.ts';
import type { Act } from '../act/act.ts';
import type { Rule } from '../act/rule.ts';
import type { Audit, AuditRecord } from '../audit/audit.ts';
import { memoryAudit } from '../audit/memory-audit.ts';
import { type ApprovalStore, memoryApprovals } from '../consent/approvals.ts';
import type { ConsentAnswer, ConsentQuestion } from '../consent/consent.ts';
import { rules } from '../policy/rules.ts';
import type { PassOptions, Permit } from './gate.ts';
import { GateKeeper } from './gate-keeper.ts';

const HOUR = 3_600_000;
const always = { for: 'any arguments', until: 'session' } as const;
const never = (): Promise<never> => new Promise(() => undefined);

describe('an act that is being decided', () => {
  test('sends nothing while the user is asked or its record is written, and then only its own message', async () => {
    const sent: string[] = [];
    const call = request(1, 'tools/call', { name: 'read_file', arguments: { path: 'notes.txt' } });
    const attempt = (when: string): void => {
      try {
        gate.leases.admit('files', call)(undefined);
        sent.push(when);
      } catch {
        // No lease is open yet.
      }
    };
    const audit: Audit = { write: async ({ phase, act: { kind } }) => void (kind === 'tool' && attempt(phase)) };
    const consent = ({ act: { kind } }: ConsentQuestion): ConsentAnswer => {
      if (kind === 'tool') attempt('asked');
      return { allow: true };
    };
    const gate: GateKeeper = new GateKeeper({ policy: [], audit, consent });
    await gate.pass(act({ kind: 'connect' }), async () => undefined);
    await gate.pass(act(), async () => attempt('running'));
    attempt('over');
    expect(sent).toEqual(['running']);
  });

  test('is stored as approved only after its record is written', async () => {
    const order: string[] = [];
    let full = false;
    const audit: Audit = {
      write: async ({ phase }) => {
        if (full) throw new Error('full');
        order.push(phase);
      },
    };
    const store = memoryApprovals();
    const approvals: ApprovalStore = {
      ...store,
      add: async (approval) => {
        order.push('remembered');
        await store.add(approval);
      },
    };
    const consent = (): ConsentAnswer => ({ allow: true, remember: { for: 'any arguments', until: 9e15 } });
    const gate = new GateKeeper({ policy: [], audit, approvals, consent });
    await gate.pass(act(), async () => order.push('ran'));
    expect(order).toEqual(['decided', 'remembered', 'ran', 'done']);
    full = true;
    const failing: unknown = await gate.pass(act({ name: 'other' }), never).catch((error: unknown) => error);
    expect(failing).toMatchObject({ code: 'MCP_DENIED', details: { id: expect.any(String) } });
    expect((await gate.approvals.list()).map(({ name }) => name)).toEqual(['read_file']);
    const { details } = failing as { readonly details: { readonly id: string } }; // checked above
    expect(await gate.explain(details.id)).toEqual([]);
  });

  test('has its end recorded after its start as a task, however long the write takes', async () => {
    const written: AuditRecord['phase'][] = [];
    let release: () => void = () => undefined;
    const audit: Audit = {
      async write({ phase }) {
        if (phase === 'working')
          await new Promise<void>((resolve) => {
            release = resolve;
          });
        written.push(phase);
      },
    };
    const gate = new GateKeeper({ policy: [rules.allow({})], audit });
    for (const isFailure of [false, true]) {
      written.length = 0;
      const run = async ({ noteTask }: Permit): Promise<void> => {
        noteTask('t1');
        if (isFailure) throw new Error('failed');
      };
      const passing = gate.pass(act(), run).catch(() => 'ended');
      await settled();
      expect(written).toEqual(['decided']);
      release();
      await passing;
      expect(written[1]).toBe('working');
      expect(written).toHaveLength(3);
    }
  });

  test.each(['done', 'failed', 'cancelled'])('returns to its caller after it is recorded as %s', async (outcome) => {
    const abort = new AbortController();
    const order: string[] = [];
    let release: () => void = () => undefined;
    const audit: Audit = {
      async write({ phase }) {
        if (phase === 'decided') return void (outcome === 'cancelled' && abort.abort());
        await new Promise<void>((resolve) => {
          release = resolve;
        });
        order.push('on record');
      },
    };
    const gate = new GateKeeper({ policy: [rules.allow({})], audit });
    const run = async (): Promise<void> => {
      if (outcome === 'failed') throw new Error('failed');
    };
    const over = (): void => void order.push('over');
    const passing = gate.pass(act(), run, { signal: abort.signal }).then(over, over);
    await settled();
    release();
    await passing;
    expect(order).toEqual(['on record', 'over']);
  });
});

describe('an act that a rule denies', () => {
  test.each<[string, Partial<Act>, PassOptions]>([
    ['of the host itself', { principal: '' }, {}],
    ['of a session', { session: 's' }, {}],
    ['of a view', { by: 'app', view: 'ui://a' }, {}],
    ['under a skill', { under: [{ server: 'files', uri: 'skill://a', definition: 'd' }] }, {}],
    ['with _meta', { meta: { note: 'a' } }, {}],
    ['that only reads', { effects: 'read', claimed: 'read' }, {}],
    ['that was approved before', { definition: 'd', status: 'approved' }, {}],
    ['that its caller can cancel', {}, { signal: new AbortController().signal }],
    ['that can be changed', {}, { editable: true }],
    ['with a current definition', { definition: 'd' }, { current: async () => ({ definition: 'd' }) }],
  ])('is not run: one %s', async (_which, facts, options) => {
    for (const policy of [[rules.deny({})], []]) {
      const audit = memoryAudit();
      const ran: string[] = [];
      const gate = new GateKeeper({ policy, audit });
      const passing = gate.pass(act(facts), async ({ id }) => ran.push(id), options);
      await expect(passing).rejects.toMatchObject({ code: 'MCP_DENIED' });
      expect(ran).toEqual([]);
      expect(audit.records.map(({ phase, allowed }) => [phase, allowed])).toEqual([['decided', false]]);
    }
  });
});

describe('a question', () => {
  test('is asked after onVerdict, and not at all if the act is cancelled in between', async () => {
    const abort = new AbortController();
    const order: string[] = [];
    const consent = (): ConsentAnswer => ({ allow: order.push('asked') > 0 });
    const gate = new GateKeeper({ policy: [], consent });
    const shown = async (verdict: string): Promise<void> => {
      await settled();
      order.push(verdict);
    };
    await gate.pass(act(), async () => order.push('ran'), { onVerdict: shown });
    expect(order).toEqual(['ask', 'asked', 'ran']);
    const cancelled = gate.pass(act(), async () => order.push('ran'), {
      signal: abort.signal,
      onVerdict: async () => abort.abort(),
    });
    await expect(cancelled).rejects.toMatchObject({ code: 'MCP_CANCELLED' });
    await settled();
    expect(order).toHaveLength(3);
  });

  test('is frozen while it is answered', async () => {
    const attempts: ((question: Record<string, unknown>) => ConsentAnswer)[] = [
      (question) => {
        question['editable'] = true;
        return { allow: true, arguments: { path: '/etc/passwd' } };
      },
      (question) => {
        question['binding'] = 'mine';
        return { allow: true, binding: 'mine' };
      },
      (question) => {
        (question['warnings'] as string[]).length = 0;
        return { allow: true };
      },
    ];
    for (const attempt of attempts) {
      const ran: unknown[] = [];
      const consent = (question: ConsentQuestion): ConsentAnswer =>
        attempt(question as unknown as Record<string, unknown>); // to change it
      const gate = new GateKeeper({ policy: [], consent });
      const passing = gate.pass(act(), async (permit) => ran.push(permit.arguments), { warnings: ['Look'] });
      await expect(passing).rejects.toMatchObject({ code: 'MCP_DENIED' });
      expect(ran).toEqual([]);
    }
  });

  test('that is asked every time ignores approvals, and its answer is not stored', async () => {
    const once: Rule = {
      text: 'each time',
      decide: ({ name }) => ({ verdict: 'ask', why: 'it must be', ...(name === 'other' ? {} : { once: true }) }),
    };
    const asked: string[] = [];
    const consent = ({ act: { name } }: ConsentQuestion): ConsentAnswer => {
      asked.push(name);
      return { allow: true, remember: always };
    };
    const approvals = memoryApprovals();
    const gate = new GateKeeper({ policy: [once], consent, approvals });
    for (const name of ['one', 'one', 'other', 'other']) await gate.pass(act({ name }), async () => undefined);
    expect(asked).toEqual(['one', 'one', 'other']);
    expect((await gate.approvals.list()).map(({ name }) => name)).toEqual(['other']);
    await approvals.add({
      ...{ id: 'a', server: 'files', kind: 'tool', name: 'one', principal: 'ada', rule: 'each time' },
      ...{ at: 0, until: 9e15 },
    });
    await gate.pass(act({ name: 'one' }), async () => undefined);
    expect(asked).toHaveLength(4);
  });

  test('with a stored approval needs no user', async () => {
    const approvals = memoryApprovals();
    const remember = { for: 'any arguments', until: 9e15 } as const;
    const attended = new GateKeeper({ policy: [], approvals, consent: () => ({ allow: true, remember }) });
    await attended.pass(act(), async () => undefined);
    const alone = new GateKeeper({ policy: [], approvals });
    expect(await alone.pass(act(), async () => 'ran')).toBe('ran');
    await expect(alone.pass(act({ name: 'other' }), async () => 'ran')).rejects.toThrow('no user can be asked');
  });

  test('about an act that the user edits counts once in a budget', async () => {
    const policy = [rules.budget({}, { calls: 2, per: 'session' })];
    const gate = new GateKeeper({ policy, consent: () => ({ allow: true, arguments: { path: 'b' } }) });
    const call = (): Promise<string> => gate.pass(act(), async () => 'ran', { editable: true });
    expect([await call(), await call()]).toEqual(['ran', 'ran']);
    await expect(call()).rejects.toThrow('2 of 2 calls per session are used up');
  });
});

test('the gate decides on a copy of _meta', async () => {
  const meta = { note: { text: 'fine' } };
  const audit = memoryAudit();
  const consent = ({ act: asked }: ConsentQuestion): ConsentAnswer => {
    meta.note.text = 'psst';
    expect(asked.meta).toEqual({ note: { text: 'fine' } });
    expect(Object.isFrozen(asked.meta?.['note'])).toBe(true);
    return { allow: true };
  };
  const gate = new GateKeeper({ policy: [], audit, consent });
  await gate.pass(act({ meta }), async () => undefined);
  expect(audit.records.map(({ act: { meta: recorded } }) => recorded)).toEqual([
    { note: { text: 'fine' } },
    { note: { text: 'fine' } },
  ]);
  expect(Object.isFrozen(meta)).toBe(false);
});

test('foresee() decides on a frozen copy', () => {
  const args = { path: 'notes.txt' };
  const meddling: Rule = { text: 'meddling', decide: (one) => void Object.assign(one.arguments, { path: 'other' }) };
  const gate = new GateKeeper({ policy: [meddling, rules.allow({})] });
  expect(gate.foresee(act({ arguments: args }))).toBe('deny');
  expect(args).toEqual({ path: 'notes.txt' });
});

test.each(['tool', 'resource', 'prompt', 'completion', 'extension', 'skill'] as const)(
  'the result of %s is tracked as text of its server',
  async (kind) => {
    const gate = new GateKeeper({ policy: [rules.noFlow('mail', 'web'), rules.allow({})] });
    const text = 'The safe in the harbour office opens with the old brass key that Ada keeps in her desk.';
    await gate.pass(act({ server: 'mail', kind, session: 's' }), async () => ({ text }));
    expect(gate.foresee(act({ server: 'web', session: 's', arguments: { text } }))).toBe('deny');
  },
);

/** A clock with a wall time that can be set, and a monotonic time. */
class TwoClocks extends HeldClock {
  date = 1_000 * HOUR;

  override wall(): number {
    return this.date;
  }
}

test('approvals expire by wall time, and budgets by monotonic time', async () => {
  const clock = new TwoClocks();
  const asked: Act[] = [];
  const consent = ({ act: of }: ConsentQuestion): ConsentAnswer => {
    asked.push(of);
    return { allow: true, remember: { for: 'any arguments', until: 1_001 * HOUR } };
  };
  const policy = [rules.budget({ name: 'counted' }, { calls: 1, per: 'hour' })];
  const gate = new GateKeeper({ policy, consent, clock });
  const pass = (name: string): Promise<string> => gate.pass(act({ name }), async () => 'ran');
  await pass('kept');
  await clock.pass(2 * HOUR);
  await pass('kept');
  expect(asked).toHaveLength(1);
  expect(await gate.approvals.list()).toMatchObject([{ at: 1_000 * HOUR }]);
  await pass('counted');
  clock.date = 1_001 * HOUR;
  // Must come before list(), which removes expired approvals.
  await pass('kept');
  expect(asked).toHaveLength(3);
  expect(await gate.approvals.list()).toEqual([]);
  await expect(pass('counted')).rejects.toThrow('1 of 1 calls per hour are used up');
  expect(gate.foresee(act({ name: 'counted' }))).toBe('deny');
  await clock.pass(1.01 * HOUR);
  expect(gate.foresee(act({ name: 'counted' }))).toBe('ask');
});

test('permit.learn() can be called even if no rule watches the server', async () => {
  const gate = new GateKeeper({ policy: [rules.allow({})] });
  await expect(gate.pass(act(), async ({ learn }) => learn('Hello'))).resolves.toBeUndefined();
});

describe('a closed gate', () => {
  test('is closed after its audit log is closed', async () => {
    const order: string[] = [];
    const close = async (): Promise<void> => {
      await settled();
      order.push('audit');
    };
    await new GateKeeper({ policy: [], audit: { ...memoryAudit(), close } }).close();
    expect([...order, 'gate']).toEqual(['audit', 'gate']);
  });

  test('lets no act pass, also one that its caller could cancel', async () => {
    const gate = new GateKeeper({ policy: [rules.allow({})] });
    await gate.close();
    const { signal } = new AbortController();
    for (const options of [{}, { signal }])
      await expect(gate.pass(act(), async () => 'ran', options)).rejects.toThrow('the host was closed');
  });

  test('cancels an act that waits for consent, even if the user then agrees', async () => {
    let agree: (answer: ConsentAnswer) => void = () => undefined;
    const audit = memoryAudit();
    const consent = (): Promise<ConsentAnswer> =>
      new Promise((resolve) => {
        agree = resolve;
      });
    const gate = new GateKeeper({ policy: [], audit, consent });
    const passing = gate.pass(act(), async () => 'ran', { signal: new AbortController().signal });
    await settled();
    await gate.close();
    agree({ allow: true });
    await expect(passing).rejects.toMatchObject({ code: 'MCP_CANCELLED' });
    expect(audit.records).toMatchObject([{ phase: 'decided' }, { phase: 'failed', outcome: 'cancelled' }]);
  });

  test('cancels any number of questions, without MaxListenersExceededWarning', async () => {
    const warnings: Error[] = [];
    const note = (warning: Error): void => void warnings.push(warning);
    process.on('warning', note);
    const gate = new GateKeeper({ policy: [], consent: never });
    const waiting = Array.from({ length: 20 }, () => gate.pass(act(), async () => 'ran').catch(() => 'cancelled'));
    await settled();
    await gate.close();
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(['cancelled']));
    await settled();
    process.off('warning', note);
    expect(warnings).toEqual([]);
  });
});
