import { expect, test } from 'vitest';
import type { SpanRow } from '../../protocol-timeline.ts';
import { lanesOf, ticksOf } from './lane-model.ts';

const span = (id: number, server: string, from: number, to?: number): SpanRow => ({
  id,
  server,
  side: '>',
  method: 'tools/call',
  from,
  to,
  isError: false,
  cancelled: false,
});

test('each server has a lane, and overlapping spans are in separate rows', () => {
  const lanes = lanesOf([span(1, 'a', 0, 50), span(2, 'a', 10, 20), span(3, 'a', 60, 70), span(4, 'b', 0)], {
    from: 0,
    to: 100,
    mostRows: 4,
  });
  expect(lanes.map(({ server, rows, bars }) => [server, rows, bars.map((bar) => bar.row)])).toEqual([
    ['a', 2, [0, 1, 0]],
    ['b', 1, [0]],
  ]);
  expect(lanes[1]?.bars[0]).toMatchObject({ start: 0, width: 100, isOpen: true });
});

test('connected servers have lanes in their configured order, even without spans', () => {
  const spans = [span(1, 'view', 0, 5), span(2, 'b', 10, 20)];
  const lanes = lanesOf(spans, { from: 0, to: 50, mostRows: 1, servers: ['a', 'b'] });
  expect(lanes.map(({ server, rows, bars }) => [server, rows, bars.length])).toEqual([
    ['a', 1, 0],
    ['b', 1, 1],
    ['view', 1, 1],
  ]);
});

test('spans outside of the time are left out, and spans across its ends are cut', () => {
  const [lane] = lanesOf([span(1, 'a', 0, 5), span(2, 'a', 5, 20), span(3, 'a', 40, 90)], {
    from: 10,
    to: 50,
    mostRows: 1,
  });
  expect(lane?.bars.map(({ span: { id }, start, width }) => [id, start, width])).toEqual([
    [2, 0, 25],
    [3, 75, 25],
  ]);
});

test('a lane has at most mostRows rows', () => {
  const many = Array.from({ length: 9 }, (_, at) => span(at, 'a', 0, 100));
  expect(lanesOf(many, { from: 0, to: 100, mostRows: 3 })[0]?.rows).toBe(3);
});

test('the label of a span has room until the next span of its row begins', () => {
  const [lane] = lanesOf([span(1, 'a', 0), span(2, 'a', 20, 30), span(3, 'a', 80, 90)], {
    from: 0,
    to: 100,
    mostRows: 1,
  });
  expect(lane?.bars.map(({ untilNext }) => untilNext)).toEqual([20, 60, 20]);
});

test('ticks are round numbers', () => {
  expect(ticksOf(0, 16_000, 8)).toEqual([0, 2_000, 4_000, 6_000, 8_000, 10_000, 12_000, 14_000, 16_000]);
  expect(ticksOf(130, 290, 4)).toEqual([150, 200, 250]);
});
