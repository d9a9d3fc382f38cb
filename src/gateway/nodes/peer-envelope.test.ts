/** Messages between nodes are valid for one node, once, for half a minute. */
import { expect, test } from 'vitest';
import { virtualClock } from '../../testing/virtual-clock.ts';
import { PeerEnvelopes } from './peer-envelope.ts';

const keys = [new Uint8Array(32).fill(7)];
const body = { call: 'c1' };

test('a message opens at the node that it is for, and says what it wants and of whom', () => {
  const clock = virtualClock();
  const [a, b] = [new PeerEnvelopes('a', keys, clock), new PeerEnvelopes('b', keys, clock)];
  const { nonce, sealed } = a.seal('b', 'resume', body);
  expect(b.open(sealed)).toEqual({ kind: 'resume', from: 'a', nonce, body });
});

test('a message for another node, of other keys, changed or made up does not open', () => {
  const clock = virtualClock();
  const [a, b] = [new PeerEnvelopes('a', keys, clock), new PeerEnvelopes('b', keys, clock)];
  const { sealed } = a.seal('c', 'resume', body);
  expect(b.open(sealed)).toBeUndefined();
  expect(
    b.open(new PeerEnvelopes('a', [new Uint8Array(32).fill(8)], clock).seal('b', 'resume', body).sealed),
  ).toBeUndefined();
  const { sealed: right } = a.seal('b', 'resume', body);
  expect(b.open(`${right.slice(0, -1)}${right.endsWith('A') ? 'B' : 'A'}`)).toBeUndefined();
  expect(b.open('')).toBeUndefined();
  expect(b.open(a.sealForAll(body))).toBeUndefined();
  expect(b.open(right)).toBeDefined();
});

test('a message opens once', () => {
  const clock = virtualClock();
  const [a, b] = [new PeerEnvelopes('a', keys, clock), new PeerEnvelopes('b', keys, clock)];
  const { sealed } = a.seal('b', 'deliver', body);
  expect(b.open(sealed)).toBeDefined();
  expect(b.open(sealed)).toBeUndefined();
});

test('a message is good for 30 seconds, and cannot come again after its nonce was forgotten', async () => {
  const clock = virtualClock();
  const [a, b] = [new PeerEnvelopes('a', keys, clock), new PeerEnvelopes('b', keys, clock)];
  const first = a.seal('b', 'hangUp', body);
  const second = a.seal('b', 'hangUp', body);
  const third = a.seal('b', 'hangUp', body);
  await clock.advance(30_000);
  expect(b.open(first.sealed)).toBeDefined();
  await clock.advance(1);
  expect(b.open(second.sealed)).toBeUndefined();
  // The nonce of the first one is stored for longer than the message is valid.
  expect(b.open(first.sealed)).toBeUndefined();
  await clock.advance(60_000);
  expect(b.open(first.sealed)).toBeUndefined();
  expect(b.open(third.sealed)).toBeUndefined();
});

test('a message expires by the clock of the node that it is for, and opens once where it is good for longer', async () => {
  const clock = virtualClock();
  const at = (id: string, ms: number): PeerEnvelopes =>
    new PeerEnvelopes(id, keys, { ...clock, wall: () => clock.wall() + ms });
  const receiver = at('b', 0);
  for (const aheadMs of [-45_000, 3_600_000]) {
    const { sealed } = at('a', -aheadMs).seal('b', 'deliver', body, aheadMs);
    const late = at('a', -aheadMs).seal('b', 'deliver', body, aheadMs);
    expect(receiver.open(sealed)).toBeDefined();
    await clock.advance(30_001);
    expect([receiver.open(sealed), receiver.open(late.sealed)]).toEqual([undefined, undefined]);
  }
  // The clock was set back since the node last announced its time.
  const { sealed } = at('fast', 3_600_000).seal('b', 'deliver', body);
  expect(receiver.open(sealed)).toBeDefined();
  await clock.advance(61_000);
  expect(receiver.open(sealed)).toBeUndefined();
});

test('an event of an answer opens under its own number of its own answer alone', () => {
  const clock = virtualClock();
  const [a, b] = [new PeerEnvelopes('a', keys, clock), new PeerEnvelopes('b', keys, clock)];
  const sealed = a.sealEvent({ done: true }, 'n1', 3);
  expect(b.openEvent(sealed, 'n1', 3)).toEqual({ done: true });
  expect(b.openEvent(sealed, 'n1', 2)).toBeUndefined();
  expect(b.openEvent(sealed, 'n2', 3)).toBeUndefined();
  expect(b.openForAll(sealed)).toBeUndefined();
});

test('what is for all nodes opens at each, as often as it comes', () => {
  const clock = virtualClock();
  const sealed = new PeerEnvelopes('a', keys, clock).sealForAll(body);
  const b = new PeerEnvelopes('b', keys, clock);
  expect([b.openForAll(sealed), b.openForAll(sealed)]).toEqual([body, body]);
  expect(b.openForAll('made up')).toBeUndefined();
});
