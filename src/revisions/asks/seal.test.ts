/** Attacks on sealed state: reading, tampering, truncation, other bindings, other keys. */
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { anyCharacter } from '../../../test/support/any-character.ts';
import { verifies } from '../../../test/support/verifies.ts';
import { fromBase64Url, toBase64Url } from '../../model/base64.ts';
import { nextTurn } from '../../peer/runtime.ts';
import { virtualClock } from '../../testing/virtual-clock.ts';
import { findNodeCrypto } from './aes-gcm.ts';
import { createSealer, memoryStateLog, type Sealer, STATE_LIFE_MS, singleUseSealer, stateSealer } from './seal.ts';

const key = (fill: number): Uint8Array<ArrayBuffer> => new Uint8Array(32).fill(fill);
const sealer = createSealer([key(1)]);
const refusal = { code: -32602, message: 'requestState was not issued by this server for this request' };
const anyText = fc.string({ unit: anyCharacter });

test('a sealer opens any text that it sealed, with any binding', async () => {
  verifies('MRTR-011');
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), async (text, bound) => {
      expect(await sealer.open(await sealer.seal(text, bound), bound)).toBe(text);
    }),
    { numRuns: 50 },
  );
});

test('a sealer rejects a text with any bit flipped', async () => {
  verifies('MRTR-010', 'MRTR-011', 'MRTR-012');
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'grapheme' }), fc.nat(), async (text, at) => {
      const bytes = fromBase64Url(await sealer.seal(text, 'bound')) ?? new Uint8Array();
      const bit = at % (bytes.length * 8);
      bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      await expect(sealer.open(toBase64Url(bytes), 'bound')).rejects.toMatchObject(refusal);
    }),
    { numRuns: 100 },
  );
});

test('a sealer rejects a text with any character changed, added or removed', async () => {
  verifies('MRTR-010', 'MRTR-012');
  const sealed = await sealer.seal('{"round":1}', 'bound');
  const alphabet = fc.constantFrom(...'ABCxyz019-_=+/ \n!é');
  await fc.assert(
    fc.asyncProperty(fc.nat(sealed.length), fc.nat(2), alphabet, async (at, taken, put) => {
      const changed = sealed.slice(0, at) + put + sealed.slice(at + taken);
      fc.pre(changed !== sealed);
      await expect(sealer.open(changed, 'bound')).rejects.toMatchObject(refusal);
    }),
    { numRuns: 200 },
  );
  await expect(sealer.open(sealed.slice(0, -1), 'bound')).rejects.toMatchObject(refusal);
});

test('a sealer rejects garbage', async () => {
  verifies('MRTR-010', 'MRTR-012');
  await fc.assert(
    fc.asyncProperty(anyText, async (garbage) => {
      await expect(sealer.open(garbage, 'bound')).rejects.toMatchObject(refusal);
    }),
    { numRuns: 100 },
  );
});

test('a sealer rejects a text with another binding', async () => {
  verifies('MRTR-013', 'MRTR-015');
  await fc.assert(
    fc.asyncProperty(anyText, anyText, async (mine, other) => {
      fc.pre(new TextEncoder().encode(mine).join() !== new TextEncoder().encode(other).join());
      await expect(sealer.open(await sealer.seal('x', mine), other)).rejects.toMatchObject(refusal);
    }),
    { numRuns: 50 },
  );
});

test('sealed texts reveal nothing, and are never equal', async () => {
  const texts = await Promise.all(Array.from({ length: 20 }, () => sealer.seal('secret secret secret', 'bound')));
  expect(new Set(texts).size).toBe(20);
  for (const text of texts) {
    expect(text).toMatch(/^[\w-]+$/);
    expect(new TextDecoder('latin1').decode(fromBase64Url(text))).not.toContain('secret');
  }
});

test('after key rotation, the old key still opens until it is removed', async () => {
  const old = await createSealer([key(1)]).seal('x', 'bound');
  const both = createSealer([key(2), key(1)]);
  expect(await both.open(old, 'bound')).toBe('x');
  const fresh = await both.seal('y', 'bound');
  expect(await createSealer([key(2)]).open(fresh, 'bound')).toBe('y');
  await expect(createSealer([key(1)]).open(fresh, 'bound')).rejects.toMatchObject(refusal);
  await expect(createSealer([key(2)]).open(old, 'bound')).rejects.toMatchObject(refusal);
});

test('what is sealed with node:crypto opens with WebCrypto, and the other way around; neither opens what was changed or cut', async () => {
  const both = [createSealer([key(1)]), createSealer([key(1)], false)] as const;
  for (const [one, other] of [both, both.toReversed()] as [Sealer, Sealer][]) {
    const sealed = await one.seal('é 日本', 'bound');
    expect(await other.open(sealed, 'bound')).toBe('é 日本');
    await expect(other.open(sealed, 'elsewhere')).rejects.toMatchObject(refusal);
    const bytes = fromBase64Url(sealed) ?? new Uint8Array();
    for (const length of [0, 1, 12, 13, 27, 28, bytes.length - 1])
      await expect(other.open(toBase64Url(bytes.subarray(0, length)), 'bound')).rejects.toMatchObject(refusal);
    for (const at of bytes.keys()) {
      const changed = bytes.slice();
      changed[at] = (changed[at] ?? 0) ^ 1;
      await expect(other.open(toBase64Url(changed), 'bound')).rejects.toMatchObject(refusal);
    }
  }
});

test.each([
  ['node:crypto', undefined],
  ['WebCrypto', false as const],
])('with %s, the first key seals, any key opens, and sealed texts are never equal', async (_by, node) => {
  const [old, both] = [createSealer([key(1)], node), createSealer([key(2), key(1)], node)];
  expect(await both.open(await old.seal('x', 'bound'), 'bound')).toBe('x');
  const sealed = [await both.seal('x', 'bound'), await both.seal('x', 'bound')];
  expect(await createSealer([key(2)], node).open(sealed[0] ?? '', 'bound')).toBe('x');
  await expect(old.open(sealed[0] ?? '', 'bound')).rejects.toMatchObject(refusal);
  expect(new Set(sealed.map((one) => one.slice(0, 16))).size).toBe(2);
});

test('without keys, each sealer has a random key', async () => {
  const mine = createSealer();
  const sealed = await mine.seal('x', 'bound');
  expect(await mine.open(sealed, 'bound')).toBe('x');
  await expect(createSealer().open(sealed, 'bound')).rejects.toMatchObject(refusal);
});

test('a sealer rejects an empty list of keys', async () => {
  await expect(createSealer([]).seal('x', 'bound')).rejects.toThrow('at least one key');
});

test('a single-use state is rejected the second time, until its entry expires', async () => {
  verifies('MRTR-016');
  const clock = virtualClock();
  const spent: string[] = [];
  const log = memoryStateLog(clock);
  const once = singleUseSealer(createSealer([key(1)]), {
    spend(id, lifeMs) {
      spent.push(id);
      return log.spend(id, lifeMs);
    },
  });
  const first = await once.seal('x', 'bound');
  const second = await once.seal('x', 'bound');
  expect(await once.open(first, 'bound')).toBe('x');
  await expect(once.open(first, 'bound')).rejects.toMatchObject({
    code: -32602,
    message: 'requestState was used before',
  });
  expect(await once.open(second, 'bound')).toBe('x');
  // A state that does not open is not recorded as used.
  await expect(once.open(first, 'elsewhere')).rejects.toMatchObject(refusal);
  // The log gets only the initialization vector, and nothing of the text.
  expect(new Set(spent)).toEqual(new Set([first.slice(0, 16), second.slice(0, 16)]));
  await clock.advance(STATE_LIFE_MS);
  expect(log.spend(spent[0] ?? '', STATE_LIFE_MS)).toBe(true);
});

test('a shared log stores a use for a day longer, as a margin for clock skew', async () => {
  const clock = virtualClock();
  const log = memoryStateLog(clock);
  const once = stateSealer([key(1)], log, clock);
  const sealed = await once.seal('x', 'bound');
  expect(await once.open(sealed, 'bound')).toBe('x');
  await clock.advance(STATE_LIFE_MS + 23 * 60 * 60_000);
  await expect(once.open(sealed, 'bound')).rejects.toMatchObject({ message: 'requestState was used before' });
});

test.each([
  ['rejects', () => Promise.reject(new Error('redis://ada:hunter2@db is away'))],
  [
    'throws',
    (): never => {
      throw new Error('redis://ada:hunter2@db is away');
    },
  ],
])('a single-use state does not open while the log %s', async (_how, spend) => {
  const once = singleUseSealer(createSealer([key(1)]), { spend });
  const opening = once.open(await once.seal('x', 'bound'), 'bound');
  await expect(opening).rejects.toMatchObject({
    code: -32603,
    message:
      'The store of used states cannot be reached, so requestState cannot be checked: send the request again later',
    data: { retryAfterMs: 1_000 },
  });
});

test('a single-use state is rejected if the log does not settle within thirty seconds', async () => {
  const clock = virtualClock();
  const once = stateSealer([key(1)], { spend: () => new Promise(() => undefined) }, clock);
  let failed: unknown;
  once.open(await once.seal('x', 'bound'), 'bound').catch((error: unknown) => (failed = error));
  await nextTurn();
  await clock.advance(29_999);
  expect(failed).toBeUndefined();
  await clock.advance(1);
  await nextTurn();
  expect(failed).toMatchObject({ code: -32603, data: { retryAfterMs: 1_000 }, cause: { code: 'MCP_TIMEOUT' } });
});

test('each of many single-use states opens once', async () => {
  const once = singleUseSealer(createSealer([key(1)]), memoryStateLog(virtualClock()));
  // One more than the number of possible first characters.
  const texts = await Promise.all(Array.from({ length: 65 }, () => once.seal('x', 'bound')));
  expect(await Promise.all(texts.map((text) => once.open(text, 'bound')))).toHaveLength(65);
});

test('the log in memory holds 250,000 states, and rejects further ones instead of evicting', async () => {
  const clock = virtualClock();
  const log = memoryStateLog(clock);
  const once = singleUseSealer(createSealer([key(1)]), log);
  const [first, late] = [await once.seal('x', 'bound'), await once.seal('x', 'bound')];
  expect(await once.open(first, 'bound')).toBe('x');
  for (let i = 1; i < 250_000; i++) void log.spend(`${i}`, STATE_LIFE_MS);
  await expect(once.open(late, 'bound')).rejects.toMatchObject({ code: -32603, data: { retryAfterMs: 1_000 } });
  await expect(once.open(first, 'bound')).rejects.toMatchObject({ message: 'requestState was used before' });
  await clock.advance(STATE_LIFE_MS);
  expect(await once.open(late, 'bound')).toBe('x');
});

test('a text that is too short is rejected like any other', async () => {
  for (const bytes of [0, 1, 11, 12, 13, 27])
    await expect(sealer.open(toBase64Url(new Uint8Array(bytes)), 'bound')).rejects.toMatchObject(refusal);
});

test('a sealer uses node:crypto if available, and WebCrypto otherwise', () => {
  expect(findNodeCrypto()).toEqual({
    createCipheriv: expect.any(Function),
    createDecipheriv: expect.any(Function),
    Buffer,
  });
  for (const process of [undefined, {}, { getBuiltinModule: () => undefined }]) {
    vi.stubGlobal('process', process);
    const found = findNodeCrypto();
    vi.unstubAllGlobals();
    expect(found).toBeUndefined();
  }
});
