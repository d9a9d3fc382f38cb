/** Checks of `keyed` of a backend: values with versions and expiry. */
import type { KeyedValues } from '../../stores/backend.ts';
import { expectEqual } from '../check-support.ts';
import { type BackendCheckBody, beforeExpiry, LONG_MS, ODD_TEXTS, SHORT_MS } from './check-body.ts';

const life = { ttlMs: LONG_MS };
const ifAbsent = { ttlMs: LONG_MS, expected: '' };

/** Puts a value, and returns its version. Throws if the put fails. */
async function put(keyed: KeyedValues, key: string, value: string, expected?: string): Promise<string> {
  const version = await keyed.put(key, value, { ...life, expected });
  if (version === undefined) throw new Error(`put of ${key}: expected a version, got undefined`);
  return version;
}

/** Increments a counter by compare-and-set, with retries. */
async function countUp(keyed: KeyedValues, key: string): Promise<void> {
  for (let tries = 0; tries < 1_000; tries++) {
    const entry = await keyed.get(key);
    const next = `${Number(entry?.value ?? 0) + 1}`;
    if ((await keyed.put(key, next, { ...life, expected: entry?.version ?? '' })) !== undefined) return;
  }
  throw new Error('Expected one of 1,000 puts to succeed, got none');
}

const putChecks: Record<string, BackendCheckBody> = {
  async 'keyed get: undefined for an unknown key'({ one }) {
    expectEqual('get', await one.keyed.get('unknown'), undefined);
  },
  async 'keyed get: of many at the same time, each gets the value of its key'({ one, other }) {
    const keys = Array.from({ length: 100 }, (_, i) => `k${i}`);
    for (const key of keys.filter((_, i) => i % 3 > 0)) await put(one.keyed, key, key);
    await one.keyed.touch('k1', LONG_MS, 'm');
    const entries = await Promise.all(keys.map((key) => other.keyed.get(key)));
    const values = keys.map((key, i) => (i % 3 > 0 ? key : undefined));
    expectEqual(
      'values',
      entries.map((entry) => entry?.value),
      values,
    );
    expectEqual('marks', [entries[1]?.mark, entries[2]?.mark], ['m', undefined]);
  },
  async 'keyed get: with a known entry it says what is there now'({ one, other }) {
    const known = { value: 'x', version: await put(one.keyed, 'a', 'x') };
    await put(one.keyed, 'b', 'y');
    await other.keyed.touch('a', LONG_MS, 'm');
    // Reads both at once, so that a backend can batch them.
    const both = (): Promise<unknown[]> => Promise.all([one.keyed.get('a', known), one.keyed.get('b', known)]);
    const b = await one.keyed.get('b');
    expectEqual('get of the same version', await both(), [{ ...known, mark: 'm' }, b]);
    const version = await put(other.keyed, 'a', 'z');
    expectEqual('get of another version', await both(), [{ value: 'z', version }, b]);
    await other.keyed.delete('a');
    expectEqual('get after delete', await both(), [undefined, b]);
  },
  async 'keyed put: another handle gets the value as soon as it resolves'({ one, other }) {
    expectEqual('get before put', await other.keyed.get('a'), undefined);
    const version = await put(one.keyed, 'a', 'x');
    expectEqual('get after put', await other.keyed.get('a'), { value: 'x', version });
  },
  async 'keyed put: keys do not touch each other'({ one, elsewhere }) {
    await put(one.keyed, 'a', 'x');
    await put(one.keyed, 'a:b', 'y');
    expectEqual('get of a', (await one.keyed.get('a'))?.value, 'x');
    expectEqual('get of a:b', (await one.keyed.get('a:b'))?.value, 'y');
    expectEqual('get in another place', await elsewhere.keyed.get('a'), undefined);
  },
  async 'keyed put: without expected it replaces whatever is there'({ one, other }) {
    await put(one.keyed, 'a', 'x');
    const version = await put(other.keyed, 'a', 'y');
    expectEqual('get', await one.keyed.get('a'), { value: 'y', version });
  },
  async 'keyed put: each makes another version'({ one, other }) {
    const versions = [await put(one.keyed, 'a', 'x'), await put(one.keyed, 'a', 'x'), await put(other.keyed, 'a', 'x')];
    expectEqual('different versions', new Set(versions).size, 3);
  },
  async 'keyed put: with an empty expected it makes a new value'({ one }) {
    expectEqual('put made a version', typeof (await one.keyed.put('a', 'x', ifAbsent)), 'string');
  },
  async 'keyed put: with an empty expected it replaces nothing'({ one, other }) {
    const version = await put(one.keyed, 'a', 'x');
    expectEqual('put', await other.keyed.put('a', 'y', ifAbsent), undefined);
    expectEqual('get', await one.keyed.get('a'), { value: 'x', version });
  },
  async 'keyed put: writes where the expected version is there'({ one, other }) {
    const first = await put(one.keyed, 'a', 'x');
    const second = await put(other.keyed, 'a', 'y', first);
    expectEqual('get', await one.keyed.get('a'), { value: 'y', version: second });
  },
  async 'keyed put: writes nothing where another version is there'({ one, other }) {
    const first = await put(one.keyed, 'a', 'x');
    const second = await put(one.keyed, 'a', 'y');
    expectEqual('put', await other.keyed.put('a', 'z', { ...life, expected: first }), undefined);
    expectEqual('get', await one.keyed.get('a'), { value: 'y', version: second });
  },
  async 'keyed put: makes nothing where a version is expected and none is there'({ one }) {
    expectEqual('put', await one.keyed.put('a', 'x', { ...life, expected: 'v' }), undefined);
    expectEqual('get', await one.keyed.get('a'), undefined);
  },
  async 'keyed put: of many that make one key at the same time, one succeeds'({ one, other }) {
    const tries = Array.from({ length: 10 }, (_, i) => (i % 2 ? one : other).keyed.put('a', `${i}`, ifAbsent));
    const won = (await Promise.all(tries)).flatMap((version, i) => (version === undefined ? [] : [`${i}`]));
    expectEqual('value of the only one that wrote', won, [(await one.keyed.get('a'))?.value]);
  },
  async 'keyed put: of many that write one version at the same time, none is lost'({ one, other }) {
    await Promise.all(Array.from({ length: 10 }, (_, i) => countUp((i % 2 ? one : other).keyed, 'a')));
    expectEqual('value after ten increments', (await one.keyed.get('a'))?.value, '10');
  },
  async 'keyed put: a version of an earlier life of the key is not accepted'({ one, other }) {
    const first = await put(one.keyed, 'a', 'x');
    await other.keyed.delete('a');
    const second = await put(other.keyed, 'a', 'y');
    expectEqual('two lives have one version', second === first, false);
    expectEqual('put', await one.keyed.put('a', 'z', { ...life, expected: first }), undefined);
    expectEqual('get', (await one.keyed.get('a'))?.value, 'y');
  },
  async 'keyed put: keeps texts as they are'({ one, other }) {
    for (const text of ODD_TEXTS) {
      await put(one.keyed, 'a', text);
      expectEqual('value', (await other.keyed.get('a'))?.value, text);
    }
  },
  async 'keyed put: keys are texts of any kind'({ one, other }) {
    for (const text of ODD_TEXTS) await put(one.keyed, `k${text}`, text);
    for (const text of ODD_TEXTS) expectEqual('value', (await other.keyed.get(`k${text}`))?.value, text);
  },
  async 'keyed put: keeps a value of 1 MiB'({ one, other }) {
    const value = 'é'.repeat(2 ** 19);
    await put(one.keyed, 'a', value);
    expectEqual('length', (await other.keyed.get('a'))?.value.length, value.length);
  },
};

const expiryChecks: Record<string, BackendCheckBody> = {
  async 'keyed put: the value is there until its life ends'({ one, pass }) {
    await one.keyed.put('a', 'x', { ttlMs: LONG_MS });
    await pass(SHORT_MS);
    expectEqual('get', (await one.keyed.get('a'))?.value, 'x');
  },
  async 'keyed put: the value is gone when its life ends'({ one, other, pass }) {
    await one.keyed.put('a', 'x', { ttlMs: SHORT_MS });
    await pass(2 * SHORT_MS);
    expectEqual('get', await other.keyed.get('a'), undefined);
  },
  async 'keyed put: what has expired counts as none'({ one, other, pass }) {
    await one.keyed.put('a', 'x', { ttlMs: SHORT_MS });
    await pass(2 * SHORT_MS);
    expectEqual('put made a version', typeof (await other.keyed.put('a', 'y', ifAbsent)), 'string');
  },
  async 'keyed put: the version of a value that has expired is not accepted'({ one, pass }) {
    const expected = await one.keyed.put('a', 'x', { ttlMs: SHORT_MS });
    await pass(2 * SHORT_MS);
    expectEqual('put', await one.keyed.put('a', 'y', { ...life, expected }), undefined);
  },
  async 'keyed put: a later put says how long the value lives'({ one, pass }) {
    await one.keyed.put('a', 'x', { ttlMs: SHORT_MS });
    await one.keyed.put('a', 'y', { ttlMs: LONG_MS });
    await pass(2 * SHORT_MS);
    expectEqual('get', (await one.keyed.get('a'))?.value, 'y');
  },
  async 'keyed touch: prolongs the life, and the version stays'({ one, other, pass }) {
    await beforeExpiry(async (key, ttlMs) => {
      const version = await one.keyed.put(key, 'x', { ttlMs });
      if (!(await other.keyed.touch(key, LONG_MS))) return false;
      await pass(2 * ttlMs);
      expectEqual('get', await one.keyed.get(key), { value: 'x', version });
      return true;
    });
  },
  async 'keyed touch: can shorten the life'({ one, pass }) {
    await put(one.keyed, 'a', 'x');
    await one.keyed.touch('a', SHORT_MS);
    await pass(2 * SHORT_MS);
    expectEqual('get', await one.keyed.get('a'), undefined);
  },
  async 'keyed touch: leaves a mark, and the version stays'({ one, other }) {
    const version = await put(one.keyed, 'a', 'x');
    await one.keyed.touch('a', LONG_MS, 'm');
    expectEqual('get', await other.keyed.get('a'), { value: 'x', version, mark: 'm' });
    expectEqual(
      'put with this version',
      typeof (await other.keyed.put('a', 'y', { ...life, expected: version })),
      'string',
    );
  },
  async 'keyed touch: without a mark, the earlier one stays'({ one }) {
    await put(one.keyed, 'a', 'x');
    await one.keyed.touch('a', LONG_MS, 'm');
    await one.keyed.touch('a', LONG_MS);
    expectEqual('mark', (await one.keyed.get('a'))?.mark, 'm');
  },
  async 'keyed touch: a later put removes the mark'({ one }) {
    await put(one.keyed, 'a', 'x');
    await one.keyed.touch('a', LONG_MS, 'm');
    await put(one.keyed, 'a', 'y');
    expectEqual('mark', (await one.keyed.get('a'))?.mark, undefined);
  },
  async 'keyed touch: false where there is no value, and none is made'({ one, other }) {
    expectEqual('touch', await one.keyed.touch('a', LONG_MS, 'm'), false);
    expectEqual('get', await other.keyed.get('a'), undefined);
    expectEqual('put made a version', typeof (await other.keyed.put('a', 'x', ifAbsent)), 'string');
  },
  async 'keyed touch: false for what has expired or was deleted'({ one, pass }) {
    await one.keyed.put('a', 'x', { ttlMs: SHORT_MS });
    await put(one.keyed, 'b', 'y');
    await one.keyed.delete('b');
    await pass(2 * SHORT_MS);
    expectEqual('touch', [await one.keyed.touch('a', LONG_MS), await one.keyed.touch('b', LONG_MS)], [false, false]);
  },
};

const deleteChecks: Record<string, BackendCheckBody> = {
  async 'keyed delete: true once, and the value is gone for every handle'({ one, other }) {
    await put(one.keyed, 'a', 'x');
    expectEqual('delete', await other.keyed.delete('a'), true);
    expectEqual('get', await one.keyed.get('a'), undefined);
    expectEqual('delete again', await one.keyed.delete('a'), false);
  },
  async 'keyed delete: only the expected version'({ one, other }) {
    const first = await put(one.keyed, 'a', 'x');
    const second = await put(one.keyed, 'a', 'y');
    expectEqual('delete of the first', await other.keyed.delete('a', first), false);
    expectEqual('get', (await one.keyed.get('a'))?.value, 'y');
    expectEqual('delete of the second', await other.keyed.delete('a', second), true);
    expectEqual('get', await one.keyed.get('a'), undefined);
  },
  async 'keyed delete: other keys stay'({ one }) {
    await put(one.keyed, 'a', 'x');
    await put(one.keyed, 'b', 'y');
    await one.keyed.delete('a');
    expectEqual('get', (await one.keyed.get('b'))?.value, 'y');
  },
};

export const keyedChecks: Record<string, BackendCheckBody> = { ...putChecks, ...expiryChecks, ...deleteChecks };
