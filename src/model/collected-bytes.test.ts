import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CollectedBytes } from './collected-bytes.ts';

test('CollectedBytes concatenates chunks of any size in order', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 40_000 }), { maxLength: 6 }), (pieces) => {
      const collected = new CollectedBytes();
      for (const piece of pieces) collected.add(piece);
      expect(collected.size).toBe(pieces.reduce((sum, { length }) => sum + length, 0));
      expect(Buffer.concat(pieces).equals(collected.bytes)).toBe(true);
    }),
  );
});

test('CollectedBytes does not write to a chunk that it was given', () => {
  const first = Uint8Array.of(1, 2, 3);
  const collected = new CollectedBytes();
  for (const piece of [new Uint8Array(), first.subarray(0, 1), Uint8Array.of(9)]) collected.add(piece);
  expect([...collected.bytes, ...first]).toEqual([1, 9, 1, 2, 3]);
});

test('CollectedBytes collects a million single bytes in one buffer', () => {
  const [collected, byte] = [new CollectedBytes(), Uint8Array.of(7)];
  for (let i = 0; i < 1_000_000; i++) collected.add(byte);
  expect(collected.bytes.buffer.byteLength).toBeLessThan(2_100_000);
});
