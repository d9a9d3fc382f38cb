/** When the circuit of an upstream opens, and how it closes again. */
import { expect, test } from 'vitest';
import { virtualClock } from '../../testing/virtual-clock.ts';
import { Circuit } from './circuit.ts';

/** The window is longer than the open time, so earlier failures must be reset when a circuit closes. */
const spec = { failures: 3, windowMs: 60_000, openMs: 5_000 };

function opened() {
  const clock = virtualClock();
  const circuit = new Circuit(spec, clock);
  for (let at = 0; at < 3; at++) circuit.failed();
  return { clock, circuit };
}

test('so many failures within the time open it, one fewer does not', () => {
  const circuit = new Circuit(spec, virtualClock());
  circuit.failed();
  circuit.failed();
  expect([circuit.state, circuit.admits()]).toEqual(['closed', true]);
  circuit.failed();
  expect([circuit.state, circuit.admits()]).toEqual(['open', false]);
});

test('failures that are apart, and failures before a success, do not add up', async () => {
  const clock = virtualClock();
  const circuit = new Circuit(spec, clock);
  circuit.failed();
  circuit.failed();
  await clock.advance(60_000);
  circuit.failed();
  expect(circuit.state).toBe('closed');
  circuit.failed();
  circuit.succeeded();
  circuit.failed();
  circuit.failed();
  expect(circuit.state).toBe('closed');
});

test('after its time one call tries, and a failure leaves the upstream alone again', async () => {
  const { clock, circuit } = opened();
  await clock.advance(4_999);
  expect(circuit.admits()).toBe(false);
  await clock.advance(1);
  expect([circuit.state, circuit.admits(), circuit.admits()]).toEqual(['trying', true, false]);
  circuit.failed();
  expect([circuit.state, circuit.admits()]).toEqual(['open', false]);
});

test('three successes in a row close it, and failures count from nothing', async () => {
  const { clock, circuit } = opened();
  await clock.advance(5_000);
  expect(circuit.admits()).toBe(true);
  circuit.succeeded();
  expect([circuit.state, circuit.admits(), circuit.admits()]).toEqual(['trying', true, true]);
  circuit.succeeded();
  expect(circuit.state).toBe('trying');
  circuit.succeeded();
  expect(circuit.state).toBe('closed');
  circuit.failed();
  circuit.failed();
  expect(circuit.state).toBe('closed');
});

test('a trial that says nothing about the upstream lets the next call try', async () => {
  const { clock, circuit } = opened();
  await clock.advance(5_000);
  expect([circuit.admits(), circuit.admits()]).toEqual([true, false]);
  circuit.abandoned();
  expect(circuit.admits()).toBe(true);
});

test('a trial that takes longer than the circuit is open lets one more call try', async () => {
  const { clock, circuit } = opened();
  await clock.advance(5_000);
  expect(circuit.admits()).toBe(true);
  await clock.advance(4_999);
  expect(circuit.admits()).toBe(false);
  await clock.advance(1);
  expect([circuit.admits(), circuit.admits()]).toEqual([true, false]);
});

test('a success of a call from before does not close what opened since', () => {
  const { circuit } = opened();
  for (let at = 0; at < 5; at++) circuit.succeeded();
  expect([circuit.state, circuit.admits()]).toEqual(['open', false]);
});

test('without a setting it never opens', () => {
  const circuit = new Circuit(undefined, virtualClock());
  for (let at = 0; at < 100; at++) circuit.failed();
  expect([circuit.state, circuit.admits()]).toEqual(['closed', true]);
});
