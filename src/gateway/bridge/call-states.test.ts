/** Sealed states between the rounds of a call are bound to the request and its caller. */
import { expect, test } from 'vitest';
import { verifies } from '../../../test/support/verifies.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import { detachedLink } from '../../peer/call-link.ts';
import { memoryStateLog, type StateLog } from '../../revisions/asks/seal.ts';
import type { Revision } from '../../revisions/contract.ts';
import { findRevision } from '../../revisions/index.ts';
import { virtualClock } from '../../testing/virtual-clock.ts';
import type { CallState, GatewayRequest } from '../contract.ts';
import { type CallStateSettings, CallStates, MAX_STATE_LENGTH, stateBinding } from './call-states.ts';
import { purposeSealer } from './purpose-sealer.ts';

const part = { label: 'shop', kind: 'tool', key: 'refund' } as const;
const relay: CallState = { stage: 'relay', part, round: 1, theirs: 'of the shop' };
const params = { name: 'shop__refund', arguments: { order: 7 } };
const key = (byte: number): Uint8Array => new Uint8Array(32).fill(byte);

interface Changes {
  readonly params?: JsonObject;
  readonly method?: string;
  readonly principal?: string;
  readonly view?: string;
}
const requestOf = (requestState: unknown, changes: Changes = {}): GatewayRequest => ({
  request: {
    jsonrpc: '2.0',
    id: 1,
    method: changes.method ?? 'tools/call',
    params: { ...(changes.params ?? params), requestState, inputResponses: { a: 1 }, _meta: { 'x.example/a': 1 } },
  },
  link: detachedLink,
  revision: findRevision('2026-07-28') as Revision, // it exists
  caller: { capabilities: {} },
  principal: changes.principal ?? 'ada',
  view: changes.view ?? 'default',
  session: {},
  push: { notify: () => undefined },
  logLevel: undefined,
});
const bound = stateBinding(requestOf(''));

function states(more: Partial<CallStateSettings> = {}) {
  const clock = virtualClock();
  return { clock, states: new CallStates({ clock, keys: [key(1)], ...more }) };
}

test('a state opens for the request that it was issued for, however often, on every node with the key', async () => {
  const sealed = states().states.seal(relay, bound);
  for (const node of [states().states, states().states]) {
    expect(await node.open(requestOf(sealed))).toEqual(relay);
    expect(await node.open(requestOf(sealed))).toEqual(relay);
  }
  expect(await states().states.open(requestOf(undefined))).toBeUndefined();
});

test.each<[string, Changes]>([
  ['principal', { principal: 'eve' }],
  ['view', { view: 'ops' }],
  ['method', { method: 'prompts/get' }],
  ['arguments', { params: { ...params, arguments: { order: 8 } } }],
  ['parameters', { params: { ...params, more: true } }],
  ['prototype', { params: JSON.parse('{"name":"shop__refund","arguments":{"order":7,"__proto__":{"all":true}}}') }],
  ['kind of value', { params: { ...params, arguments: { order: '7' } } }],
])('a state of another %s is rejected with −32602', async (_what, changes) => {
  verifies('MRTR-012', 'MRTR-013', 'MRTR-015');
  const { states: own } = states();
  const sealed = own.seal(relay, bound);
  const error = { code: -32602, message: 'requestState was not issued by this gateway for this request' };
  await expect(own.open(requestOf(sealed, changes))).rejects.toMatchObject(error);
});

test('ten thousand random edits of a state are never accepted', async () => {
  verifies('MRTR-010', 'MRTR-011');
  const { states: own } = states();
  const sealed = own.seal(relay, bound);
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=.+/ ';
  let seed = 7;
  const random = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((seed / 2_147_483_648) * below);
  };
  let accepted = 0;
  let tried = 0;
  while (tried < 10_000) {
    const at = random(sealed.length);
    const other = alphabet[random(alphabet.length)] ?? '';
    const forms = [
      sealed.slice(0, at) + other + sealed.slice(at + 1),
      sealed.slice(0, at) + sealed.slice(at + 1),
      sealed.slice(0, at) + other + sealed.slice(at),
      sealed.slice(0, at),
    ];
    const edited = forms[random(forms.length)] ?? '';
    if (edited === sealed) continue;
    tried++;
    await own.open(requestOf(edited)).then(
      () => accepted++,
      () => undefined,
    );
  }
  expect([tried, accepted]).toEqual([10_000, 0]);
});

test('a state expires after ten minutes', async () => {
  verifies('MRTR-014');
  const { states: own, clock } = states();
  const sealed = own.seal(relay, bound);
  await clock.advance(600_000);
  expect(await own.open(requestOf(sealed))).toEqual(relay);
  await clock.advance(1);
  await expect(own.open(requestOf(sealed))).rejects.toMatchObject({
    code: -32602,
    message: 'requestState has expired',
  });
});

test('a state expires by the clock of the node that sealed it, where that is known', async () => {
  const { clock, states: sealing } = states({ node: 'a' });
  const sealed = sealing.seal(relay, bound);
  const ahead = { ...clock, wall: () => clock.wall() + 3_600_000 };
  const asked: string[] = [];
  const wallOf = async (node: string): Promise<number | undefined> => {
    asked.push(node);
    return node === 'a' ? clock.wall() : undefined;
  };
  const knowing = new CallStates({ clock: ahead, keys: [key(1)], node: 'b', wallOf });
  const unknowing = new CallStates({ clock: ahead, keys: [key(1)], node: 'b', wallOf: async () => undefined });
  const expired = { code: -32602, message: 'requestState has expired' };
  await clock.advance(600_000);
  expect(await knowing.open(requestOf(sealed))).toEqual(relay);
  await expect(unknowing.open(requestOf(sealed))).rejects.toMatchObject(expired);
  await clock.advance(1);
  await expect(knowing.open(requestOf(sealed))).rejects.toMatchObject(expired);
  expect(asked).toEqual(['a', 'a']);
  // Its own states expire by its own clock.
  const own = knowing.seal(relay, bound);
  await clock.advance(600_001);
  await expect(knowing.open(requestOf(own))).rejects.toMatchObject(expired);
  expect(asked).toHaveLength(2);
});

test('an approval that a node with a fast clock sealed opens once, for as long as this node takes it for good', async () => {
  const clock = virtualClock();
  const ahead = { ...clock, wall: () => clock.wall() + 3_600_000 };
  const sealed = new CallStates({ clock: ahead, keys: [key(1)] }).seal({ stage: 'policy', part }, bound);
  const own = new CallStates({ clock, keys: [key(1)] });
  expect(await own.open(requestOf(sealed))).toEqual({ stage: 'policy', part });
  for (const minutes of [11, 40, 18]) {
    await clock.advance(minutes * 60_000);
    await expect(own.open(requestOf(sealed))).rejects.toMatchObject({ message: 'requestState was used before' });
  }
  await clock.advance(60_000 + 1);
  await expect(own.open(requestOf(sealed))).rejects.toMatchObject({ message: 'requestState has expired' });
});

test('an approval opens once on nodes that share a log, also where the clock of one is up to a day behind', async () => {
  const clock = virtualClock();
  const log = memoryStateLog(clock);
  const nodeAt = (minutes: number): CallStates =>
    new CallStates({ clock: { ...clock, wall: () => clock.wall() + minutes * 60_000 }, keys: [key(1)], log });
  const [right, behind, ahead] = [nodeAt(0), nodeAt(-23 * 60), nodeAt(9)];
  const sealed = right.seal({ stage: 'policy', part }, bound);
  expect(await ahead.open(requestOf(sealed))).toEqual({ stage: 'policy', part });
  for (const minutes of [2, 12, 60, 21 * 60]) {
    await clock.advance(minutes * 60_000);
    await expect(behind.open(requestOf(sealed))).rejects.toMatchObject({ message: 'requestState was used before' });
  }
  await clock.advance(2 * 60 * 60_000);
  await expect(behind.open(requestOf(sealed))).rejects.toMatchObject({ message: 'requestState has expired' });
});

test.each<[string, CallState]>([
  ['asks for an approval', { stage: 'policy', part }],
  ['carries an approval to the next round', { ...relay, approved: true }],
  ['carries an approval past a visit', { stage: 'visit', part, ids: ['v'], approved: true }],
])(
  'a state that %s opens once on all nodes that share a log, and not at all while the log is away',
  async (_what, state) => {
    verifies('MRTR-016');
    const used = new Set<string>();
    let away = false;
    const log: StateLog = {
      spend: (id) => {
        if (away) throw new Error('connection refused');
        return used.size < used.add(id).size;
      },
    };
    const [one, two] = [states({ log }).states, states({ log }).states];
    const sealed = one.seal(state, bound);
    expect(await two.open(requestOf(sealed))).toEqual(state);
    await expect(one.open(requestOf(sealed))).rejects.toMatchObject({
      code: -32602,
      message: 'requestState was used before',
    });
    away = true;
    const next = one.seal(state, bound);
    await expect(two.open(requestOf(next))).rejects.toMatchObject({ code: -32603, data: { outcome: 'not-sent' } });
  },
);

test('a state of 256 KiB is issued and read, and a longer one is neither', async () => {
  const { states: own } = states();
  const ofLength = (length: number): CallState => ({ ...relay, theirs: 'x'.repeat(length) });
  // Base64: four characters for three bytes, rounded up.
  const least = Math.floor(((MAX_STATE_LENGTH - own.seal(ofLength(0), bound).length) * 3) / 4);
  const most = own.seal(ofLength(least), bound).length < MAX_STATE_LENGTH ? least + 1 : least;
  const largest = own.seal(ofLength(most), bound);
  expect([largest.length, MAX_STATE_LENGTH]).toEqual([262_144, 262_144]);
  expect(await own.open(requestOf(largest))).toEqual(ofLength(most));
  expect(() => own.seal(ofLength(most + 1), bound)).toThrow(/at most 262144/);
  await expect(own.open(requestOf('A'.repeat(MAX_STATE_LENGTH + 4)))).rejects.toMatchObject({ code: -32602 });
});

test('a state that is not text is rejected, also where text could be made of it', async () => {
  const { states: own } = states();
  const sealed = own.seal(relay, bound);
  const bytes = { type: 'Buffer', data: [...Buffer.from(sealed)] };
  for (const other of [7, null, true, '', [sealed], [...sealed], { length: 1 }, bytes, { toString: sealed }])
    await expect(own.open(requestOf(other))).rejects.toMatchObject({
      code: -32602,
      message: 'requestState was not issued by this gateway for this request',
    });
});

test('without a log, states that carry an approval open once in this process, and others as often as they come', async () => {
  const used = { code: -32602, message: 'requestState was used before' };
  const clock = virtualClock();
  const own = new CallStates({ clock });
  for (const state of [
    { stage: 'policy', part },
    { ...relay, approved: true },
  ] as const) {
    const sealed = own.seal(state, bound);
    const both = await Promise.allSettled([own.open(requestOf(sealed)), own.open(requestOf(sealed))]);
    expect(both).toMatchObject([
      { status: 'fulfilled', value: state },
      { status: 'rejected', reason: used },
    ]);
    await expect(own.open(requestOf(sealed))).rejects.toMatchObject(used);
  }
  const again = own.seal(relay, bound);
  for (const _ of [0, 1]) expect(await own.open(requestOf(again))).toEqual(relay);
});

test('the first key seals and all keys open, so that keys can be rotated', async () => {
  const old = states({ keys: [key(1)] }).states.seal(relay, bound);
  expect(await states({ keys: [key(2), key(1)] }).states.open(requestOf(old))).toEqual(relay);
  await expect(states({ keys: [key(2)] }).states.open(requestOf(old))).rejects.toMatchObject({ code: -32602 });
  expect(() => new CallStates({ clock: virtualClock(), keys: [] })).toThrow(/at least one/);
  expect(() => new CallStates({ clock: virtualClock(), keys: [new Uint8Array(16)] })).toThrow(/32 bytes/);
});

test('what was sealed for one purpose does not open for another', () => {
  const [state, peer] = [purposeSealer([key(1)], 'state'), purposeSealer([key(1)], 'peer')];
  const sealed = state.seal('text', 'bound');
  expect([state.open(sealed, 'bound'), state.open(sealed, 'other'), peer.open(sealed, 'bound')]).toEqual([
    'text',
    undefined,
    undefined,
  ]);
});
