import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { act } from '../../../test/support/acts.ts';
import { dice, honest, letter, secretIn, type Trick, tricks } from '../../../test/support/flow-corpus.ts';
import { verifies } from '../../../test/support/verifies.ts';
import { RpcError, ToolError } from '../../errors.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import type { Act } from '../act/act.ts';
import { memoryAudit } from '../audit/memory-audit.ts';
import { GateKeeper } from '../gate/gate-keeper.ts';
import { rules } from './rules.ts';
import { TaintTracker } from './taint-tracker.ts';
import { CERTAIN, fingerprintsOf, normalizeText, RUN, SHORTEST } from './text-fingerprints.ts';

const mail: Act = act({ server: 'mail', session: 's' });
const web = (args: JsonObject = {}): Act => act({ server: 'web', session: 's', arguments: args });
const said = (text: string): unknown => ({ content: [{ type: 'text', text }], text });

/** Whether any of these calls would be detected. */
function caught(letters: readonly string[], calls: readonly JsonObject[]): boolean {
  const flow = new TaintTracker(['mail']);
  for (const text of letters) flow.learn(mail, said(text));
  return calls.some((args) => {
    const found = flow.sourcesIn(web(args)).length > 0;
    flow.noteAttempt(web(args));
    return found;
  });
}

/** The percentage of letters that would be detected; forty are tried. */
function rate(trick: Trick): number {
  const random = dice(7);
  let found = 0;
  for (let i = 0; i < 40; i++) {
    const text = letter(random);
    if (caught([letter(random), text, letter(random)], trick(secretIn(text), random))) found++;
  }
  return found * 2.5;
}

/** The minimum and maximum detection rate of each trick, in percent. Measured; the guide has the same figures. */
const expected = new Map<string, { readonly atLeast: number; readonly atMost: number }>([
  ['every 12th word changed', { atLeast: 95, atMost: 100 }],
  ['every 8th word changed', { atLeast: 80, atMost: 100 }],
  ['every 5th word changed', { atLeast: 0, atMost: 60 }],
  ['every 3rd word changed', { atLeast: 0, atMost: 5 }],
  ...[
    'split over calls with chatter in between',
    'words in reverse order',
    'letters in reverse order',
    'rot13',
    'gzip and base64',
    'only its facts',
  ].map((name): [string, { atLeast: number; atMost: number }] => [name, { atLeast: 0, atMost: 5 }]),
]);

describe('letters on their way out', () => {
  test.each([...tricks])('%s', (name, trick) => {
    const { atLeast, atMost } = expected.get(name) ?? { atLeast: 100, atMost: 100 };
    const found = rate(trick);
    expect(found).toBeGreaterThanOrEqual(atLeast);
    expect(found).toBeLessThanOrEqual(atMost);
  });

  test('honest work is stopped in few of 500 sessions', () => {
    let [stopped, calls] = [0, 0];
    for (let seed = 1; seed <= 500; seed++) {
      const flow = new TaintTracker(['mail']);
      const { mail: letters, web: pages, sent } = honest(seed);
      for (const text of letters) flow.learn(mail, said(text));
      for (const text of pages) flow.learn(web(), said(text));
      calls += sent.length;
      stopped += sent.filter((args) => {
        const found = flow.sourcesIn(web(args)).length > 0;
        flow.noteAttempt(web(args));
        return found;
      }).length;
    }
    expect(calls).toBeGreaterThan(1_500);
    // All of them repeat a polite phrase from the end of a letter.
    expect(stopped / calls).toBeLessThan(0.02);
  });
});

describe('a fingerprint', () => {
  const marks = (text: string): Set<number> => new Set(fingerprintsOf(text).map(([mark]) => mark));
  const text = fc.string({ unit: fc.constantFrom(...'abcdefghij'), minLength: 200, maxLength: 400 });

  test('two texts that share enough have a fingerprint in common', () => {
    fc.assert(
      fc.property(text, text, text, fc.nat(300), (before, after, source, at) => {
        const start = Math.min(at, source.length - CERTAIN);
        const known = marks(source);
        const found = marks(before + source.slice(start, start + CERTAIN) + after);
        expect([...found].some((one) => known.has(one))).toBe(true);
      }),
    );
  });

  test('two texts that share little have no fingerprint in common', () => {
    fc.assert(
      fc.property(text, text, (one, other) => {
        const known = marks(`x${one}`);
        expect([...marks(`y${other}`)].filter((mark) => known.has(mark))).toEqual([]);
      }),
    );
  });

  test('a fingerprint is independent of case, accents, width and punctuation', () => {
    expect(normalizeText('  Ｈéllo, WÖRLD! №5 ')).toBe('helloworldno5');
    expect(normalizeText('日本語 テキスト')).toBe('日本語テキスト');
  });
});

describe('what is kept', () => {
  const secret = secretIn(letter(dice(3)));
  const kinds = (flow: TaintTracker, result: unknown, of: Act = mail): readonly string[] => {
    flow.learn(of, result);
    return flow.sourcesIn(web({ text: secret }));
  };

  test('received text belongs to its session, and is dropped with it', () => {
    const flow = new TaintTracker(['mail']);
    expect(kinds(flow, said(secret))).toEqual(['mail']);
    expect(flow.sourcesIn({ ...web({ text: secret }), session: 'other' })).toEqual([]);
    flow.endSession('s');
    expect(flow.sourcesIn(web({ text: secret }))).toEqual([]);
  });

  test('received text is detected at any depth, encoded or not', () => {
    expect(kinds(new TaintTracker(['mail']), { data: { deep: [[{ [secret]: 1 }]] } })).toEqual(['mail']);
    expect(kinds(new TaintTracker(['mail']), { blob: Buffer.from(secret).toString('base64') })).toEqual(['mail']);
    expect(kinds(new TaintTracker(['mail']), said(secret), { ...mail, kind: 'connect' })).toEqual([]);
    expect(kinds(new TaintTracker(['mail']), undefined)).toEqual([]);
  });

  test('received text is not searched for in names of tools and prompts, which the server chose', () => {
    const flow = new TaintTracker(['mail']);
    flow.learn(mail, said(secret));
    const named = (kind: Act['kind']) => flow.sourcesIn(act({ kind, server: 'web', session: 's', name: secret }));
    expect([named('tool'), named('prompt'), named('resource')]).toEqual([[], [], ['mail']]);
  });

  test('received text is detected in base64 of short lines, whatever was sent before', () => {
    const flow = new TaintTracker(['mail']);
    flow.learn(mail, said(secret));
    flow.noteAttempt(web({ text: 'Hello!' }));
    const text = Buffer.from(secret).toString('base64').replace(/.{40}/g, '$&\n');
    expect(flow.sourcesIn(web({ text }))).toEqual(['mail']);
  });

  test('received text is detected next to arguments and results that are null', () => {
    const flow = new TaintTracker(['mail']);
    flow.learn(mail, { text: secret, next: null });
    expect(flow.sourcesIn(web({ to: null, text: secret }))).toEqual(['mail']);
  });

  test('received text is detected in two arguments, and in a result that contains itself', () => {
    const flow = new TaintTracker(['mail']);
    const result: { text: string; self?: object } = {
      text: 'alpha beta gamma delta epsilon zeta eta theta iota kappa',
    };
    result.self = result;
    flow.learn(mail, result);
    const cut = { a: 'alpha beta gamma delta epsilon', b: 'zeta eta theta iota kappa' };
    expect(flow.sourcesIn(web(cut))).toEqual(['mail']);
  });

  test('received text is searched for in URIs, and not in text that the receiving server sent itself', () => {
    const flow = new TaintTracker(['m*']);
    flow.learn(mail, said(secret));
    const address = `https://example.test/${encodeURIComponent(secret)}`;
    expect(
      flow.sourcesIn(act({ kind: 'resource', server: 'web', session: 's', name: address, arguments: {} })),
    ).toEqual(['mail']);
    expect(flow.sourcesIn({ ...mail, arguments: { text: secret } })).toEqual([]);
    flow.learn(web(), said(`A page that quotes: ${secret}`));
    expect(flow.sourcesIn(web({ text: secret }))).toEqual([]);
    expect(flow.sourcesIn(act({ server: 'shop', session: 's', arguments: { text: secret } }))).toEqual(['mail']);
  });

  test('received text is detected beside other text that the receiving server sent itself', () => {
    const flow = new TaintTracker(['mail']);
    const own = letter(dice(4)).repeat(2);
    flow.learn(mail, said(secret));
    flow.learn(web(), said(own));
    expect(flow.sourcesIn(web({ [own]: secret }))).toEqual(['mail']);
    expect(flow.sourcesIn(web({ [secret]: own }))).toEqual(['mail']);
    expect(flow.sourcesIn(web({ a: Buffer.from(own).toString('base64'), [own]: own }))).toEqual([]);
  });

  test('a piece of text that is as far as possible from one of the receiving server is still detected', () => {
    const random = dice(13);
    const positions = (text: string): string =>
      fingerprintsOf(text)
        .map(([, at]) => at)
        .join();
    let text = '';
    for (let tries = 0; tries < 10_000 && positions(text) !== `0,${RUN}`; tries++)
      text = Array.from({ length: SHORTEST + RUN }, () => Math.floor(random() * 36).toString(36)).join('');
    const [start, end] = [text.slice(0, SHORTEST), text.slice(RUN)];
    for (const [own, other] of [
      [start, end],
      [end, start],
    ]) {
      const flow = new TaintTracker(['mail']);
      flow.learn(mail, other);
      flow.learn(web(), own);
      expect(flow.sourcesIn(web({ text }))).toEqual(['mail']);
    }
  });

  test('a long text of the receiving server is searched in linear time', () => {
    const flow = new TaintTracker(['mail']);
    const random = dice(12);
    const own = Array.from({ length: 480_000 }, () => Math.floor(random() * 36).toString(36)).join('');
    flow.learn(mail, said(secret));
    flow.learn(web(), said(own));
    // Quadratic work would take minutes.
    const sent = [own, `${own}${secret}`, `${secret}${own}`];
    expect(sent.map((text) => flow.sourcesIn(web({ text })))).toEqual([[], ['mail'], ['mail']]);
  });

  test('received text is bounded: the oldest is evicted, and text that is too long to search counts as carried', () => {
    const flow = new TaintTracker(['mail']);
    const random = dice(11);
    flow.learn(mail, said(secret));
    const noise = (): string => Array.from({ length: 160_000 }, () => Math.floor(random() * 36).toString(36)).join('');
    for (let i = 0; i < 5; i++) flow.learn(mail, said(noise()));
    expect(flow.sourcesIn(web({ text: secret }))).toEqual([]);
    const long = { text: 'a '.repeat(600_000) };
    expect(flow.sourcesIn(web(long))).toEqual(['mail']);
    expect(flow.sourcesIn({ ...mail, arguments: long })).toEqual([]);
  });

  test('what an application sends itself, in any number of acts, never counts as carried', () => {
    const flow = new TaintTracker(['mail']);
    flow.learn(mail, said(letter(dice(3))));
    const page = 'a harmless page '.repeat(4_000);
    // Together, these are longer than a text that is searched.
    for (let sent = 0; sent < 1_200_000; sent += page.length) flow.noteAttempt(web({ page }));
    expect(flow.sourcesIn(web({ page: 'one more page' }))).toEqual([]);
  });

  test('after 101 sessions, everything in the evicted one counts as carried until it ends', () => {
    const flow = new TaintTracker(['mail']);
    const sent = (session: string, text: string): readonly string[] => flow.sourcesIn({ ...web({ text }), session });
    flow.learn({ ...mail, server: 'news', session: 'unwatched' }, said(secret));
    for (let i = 0; i < 101; i++) flow.learn({ ...mail, session: `s${i}` }, said(secret));
    expect([sent('s100', secret), sent('s100', 'hello')]).toEqual([['mail'], []]);
    expect([sent('s0', secret), sent('s0', 'hello'), sent('unwatched', secret)]).toEqual([['mail'], ['mail'], []]);
    expect(flow.sourcesIn({ ...mail, session: 's0', arguments: { text: secret } })).toEqual([]);
    for (let i = 0; i < 101; i++) flow.learn({ ...mail, session: `t${i}` }, said('hello'));
    expect(sent('s0', 'hello')).toEqual(['mail']);
    flow.endSession('s0');
    expect(sent('s0', secret)).toEqual([]);
  });

  test('received text is detected at any depth of nesting, in results and arguments', () => {
    const nested = (value: unknown): JsonObject => {
      let whole = { value } as JsonObject;
      for (let level = 0; level < 2_000; level++) whole = level % 2 === 0 ? { whole } : { list: [whole] };
      return whole;
    };
    expect(kinds(new TaintTracker(['mail']), nested(said(secret)))).toEqual(['mail']);
    const flow = new TaintTracker(['mail']);
    flow.learn(mail, said(secret));
    expect(flow.sourcesIn(web(nested(secret)))).toEqual(['mail']);
    expect(flow.sourcesIn(web(nested({ [secret]: 1 })))).toEqual(['mail']);
    expect(flow.sourcesIn(web(nested('hello')))).toEqual([]);
  });
});

describe('at the gate', () => {
  const secret = secretIn(letter(dice(5)));
  const policy = [rules.noFlow('mail', 'web'), rules.allow({})];

  test.each<[string, () => Promise<unknown>]>([
    ['what a tool returned', async () => said(secret)],
    ['what a tool failed with', () => Promise.reject(new ToolError(secret))],
    ['what a server refused with', () => Promise.reject(new RpcError(-32602, 'no', { why: secret }))],
  ])('%s does not get to the other server', async (_what, read) => {
    verifies('HOST-13', 'HOST-20');
    const audit = memoryAudit();
    const gate = new GateKeeper({ policy, audit });
    let sent = 0;
    await gate.pass(mail, read).catch(() => undefined);
    const sending = (args: JsonObject): Promise<unknown> => gate.pass(web(args), async () => sent++);
    await expect(sending({ text: `PS: ${secret}` })).rejects.toMatchObject({
      code: 'MCP_DENIED',
      details: { rule: 'noFlow mail to web', why: 'it carries text of mail' },
    });
    expect(sent).toBe(0);
    expect(audit.records.at(-1)).toMatchObject({ act: { carries: ['mail'] }, watched: ['mail'], allowed: false });
    await sending({ text: 'something else' });
    expect(sent).toBe(1);
  });

  test('a text in pieces is stopped before it is whole', async () => {
    const gate = new GateKeeper({ policy });
    await gate.pass(mail, async () => said(secret));
    const sent: string[] = [];
    const send = (text: string): Promise<unknown> =>
      gate.pass(web({ text }), async () => sent.push(text)).catch(() => undefined);
    // An act that tried to send all of it before is denied, too.
    await send(secret);
    await send(Buffer.from(secret).toString('base64'));
    for (const text of secret.match(/.{1,20}/gs) ?? []) await send(text);
    for (const text of Buffer.from(secret)
      .toString('base64')
      .match(/.{1,20}/gs) ?? [])
      await send(text);
    expect(sent.join('').length).toBeLessThan(160);
    await send('something else');
    expect(sent.at(-1)).toBe('something else');
  });

  test('no text is stored if no rule needs it', async () => {
    const audit = memoryAudit();
    const gate = new GateKeeper({ policy: [rules.allow({})], audit });
    await gate.pass(mail, async () => said(secret));
    await gate.pass(web({ text: secret }), async () => 'sent');
    expect(audit.records.at(-1)?.act.carries).toEqual([]);
    expect(audit.records.at(-1)).not.toHaveProperty('watched');
  });

  test('the text of a session is dropped when it ends', async () => {
    const gate = new GateKeeper({ policy });
    await gate.pass(mail, async () => said(secret));
    gate.endSession('s');
    expect(await gate.pass(web({ text: secret }), async () => 'sent')).toBe('sent');
  });
});
