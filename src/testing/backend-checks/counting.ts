/** Checks of `once`, `count` and `log` of a backend. */
import type { Backend, LogEntry, RateResult } from '../../stores/backend.ts';
import { expectEqual } from '../check-support.ts';
import { type BackendCheckBody, beforeExpiry, LONG_MS, ODD_TEXTS, SHORT_MS } from './check-body.ts';

export const onceChecks: Record<string, BackendCheckBody> = {
  async 'once spend: true the first time, false from then on, by every handle'({ one, other }) {
    const spent = [await one.once.spend('a', LONG_MS), await one.once.spend('a', LONG_MS)];
    expectEqual('spend', [...spent, await other.once.spend('a', LONG_MS)], [true, false, false]);
  },
  async 'once spend: each key is spent alone'({ one, elsewhere }) {
    const spent = [await one.once.spend('a', LONG_MS), await one.once.spend('b', LONG_MS)];
    expectEqual('spend', [...spent, await elsewhere.once.spend('a', LONG_MS)], [true, true, true]);
  },
  async 'once spend: of many at the same time, one succeeds'({ one, other }) {
    const tries = Array.from({ length: 20 }, (_, i) => (i % 2 ? one : other).once.spend('a', LONG_MS));
    expectEqual('successes', (await Promise.all(tries)).filter(Boolean).length, 1);
  },
  async 'once spend: a key is remembered until its life ends'({ one, pass }) {
    await one.once.spend('a', LONG_MS);
    await pass(SHORT_MS);
    expectEqual('spend', await one.once.spend('a', LONG_MS), false);
  },
  async 'once spend: a key can be spent again when its life has ended'({ one, other, pass }) {
    await one.once.spend('a', SHORT_MS);
    await pass(2 * SHORT_MS);
    expectEqual('spend', await other.once.spend('a', LONG_MS), true);
  },
  async 'once spend: a failed attempt does not prolong the life'({ one, pass }) {
    await beforeExpiry(async (key, ttlMs) => {
      await one.once.spend(key, ttlMs);
      if (await one.once.spend(key, LONG_MS)) return false;
      await pass(2 * ttlMs);
      expectEqual('spend', await one.once.spend(key, LONG_MS), true);
      return true;
    });
  },
  async 'once spend: a value under the same key is something else'({ one }) {
    await one.once.spend('spent', LONG_MS);
    await one.keyed.put('kept', 'x', { ttlMs: LONG_MS });
    expectEqual('get', (await one.keyed.get('kept'))?.value, 'x');
  },
};

const rate = { limit: 3, perMs: LONG_MS };
const takeMany = (backend: Backend, times: number, how = rate, key = 'a'): Promise<RateResult[]> =>
  Promise.all(Array.from({ length: times }, () => backend.count.take(key, how)));
const countAllowed = (results: readonly RateResult[]): number => results.filter(({ ok }) => ok).length;
/** The `retryMs` of the rejected call, which need not be the last of concurrent calls; 0 if all were allowed. */
const retryMsIn = (results: readonly RateResult[]): number =>
  Math.max(...results.map((one) => (one.ok ? 0 : one.retryMs)));

export const countChecks: Record<string, BackendCheckBody> = {
  async 'count take: as many as the limit at once, and no more'({ one }) {
    expectEqual('taken', countAllowed(await takeMany(one, 5)), 3);
  },
  async 'count take: all handles count together'({ one, other }) {
    const taken = await Promise.all([takeMany(one, 2), takeMany(other, 2)]);
    expectEqual('taken', countAllowed(taken.flat()), 3);
  },
  async 'count take: each key counts alone'({ one, elsewhere }) {
    await takeMany(one, 3);
    expectEqual('another key', (await one.count.take('b', rate)).ok, true);
    expectEqual('another place', (await elsewhere.count.take('a', rate)).ok, true);
  },
  async 'count take: burst is how many come at once'({ one }) {
    expectEqual('taken', countAllowed(await takeMany(one, 5, { ...rate, ...{ burst: 1 } })), 1);
    const many = Array.from({ length: 8 }, () => one.count.take('b', { ...rate, burst: 6 }));
    expectEqual('taken with a larger burst', countAllowed(await Promise.all(many)), 6);
  },
  async 'count take: says when there is room again'({ one }) {
    const wait = retryMsIn(await takeMany(one, 4));
    // A third of `perMs`, minus the time that has already passed.
    expectEqual('between 10 s and 20 s', wait > 10_000 && wait <= 20_000, true);
  },
  async 'count take: there is room again after that time'({ one, pass }) {
    await beforeExpiry(async (key, perMs) => {
      const fast = { limit: 1, perMs };
      const wait = retryMsIn(await takeMany(one, 2, fast, key));
      if (wait === 0) return false;
      await pass(wait + 5);
      expectEqual('taken', (await one.count.take(key, fast)).ok, true);
      return true;
    });
  },
  async 'count take: what is denied is not counted'({ one, pass }) {
    const fast = { limit: 1, perMs: SHORT_MS };
    await takeMany(one, 10, fast);
    await pass(SHORT_MS + 5);
    expectEqual('taken', (await one.count.take('a', fast)).ok, true);
  },
  async 'count take: a pause does not save up more than a burst'({ one, pass }) {
    const fast = { limit: 2, perMs: SHORT_MS };
    await takeMany(one, 1, fast);
    await pass(5 * SHORT_MS);
    expectEqual('taken', countAllowed(await takeMany(one, 4, { ...fast, perMs: LONG_MS })), 2);
  },
};

const limits = { ttlMs: LONG_MS, keep: 100 };
const entries = (from: number, to: number): LogEntry[] =>
  Array.from({ length: to - from + 1 }, (_, i) => ({ seq: from + i, data: `d${from + i}` }));
async function appendAll({ log }: Backend, all: readonly LogEntry[], how = limits, name = 'l'): Promise<string[]> {
  const results: string[] = [];
  for (const entry of all) results.push(await log.append(name, entry, how));
  return results;
}

export const logChecks: Record<string, BackendCheckBody> = {
  async 'log read: gone for an unknown log'({ one }) {
    expectEqual('read', await one.log.read('l', 0), 'gone');
  },
  async 'log append: another handle reads it as soon as it resolves'({ one, other }) {
    expectEqual('append', await appendAll(one, entries(1, 3)), ['ok', 'ok', 'ok']);
    expectEqual('read', await other.log.read('l', 0), entries(1, 3));
  },
  async 'log read: everything after a number, in order'({ one }) {
    await appendAll(one, entries(1, 12));
    expectEqual('read', await one.log.read('l', 8), entries(9, 12));
  },
  async 'log read: nothing after the last number, while the log is known'({ one }) {
    await appendAll(one, entries(1, 2));
    expectEqual('read', await one.log.read('l', 2), []);
  },
  async 'log append: a number that is there is not written twice'({ one, other }) {
    await appendAll(one, entries(1, 2));
    expectEqual('append', await other.log.append('l', { seq: 2, data: 'again' }, limits), 'exists');
    expectEqual('read', await one.log.read('l', 0), entries(1, 2));
  },
  async 'log append: a number below the last one is not written'({ one }) {
    await appendAll(one, entries(3, 3));
    expectEqual('append', await one.log.append('l', { seq: 2, data: 'late' }, limits), 'exists');
    expectEqual('read', await one.log.read('l', 2), entries(3, 3));
  },
  async 'log read: gone where the first numbers are missing'({ one }) {
    await appendAll(one, entries(3, 4));
    expectEqual('read', await one.log.read('l', 0), 'gone');
    expectEqual('read from where it begins', await one.log.read('l', 2), entries(3, 4));
  },
  async 'log read: gone where a number in the middle is missing'({ one }) {
    await appendAll(one, [...entries(1, 2), ...entries(4, 5)]);
    expectEqual('read', await one.log.read('l', 0), 'gone');
    expectEqual('read after the gap', await one.log.read('l', 3), entries(4, 5));
  },
  async 'log append: at least as many as asked for are kept'({ one }) {
    await appendAll(one, entries(1, 60), { ...limits, keep: 10 });
    expectEqual('read', await one.log.read('l', 50), entries(51, 60));
  },
  async 'log append: not all of a long log is kept'({ one }) {
    await appendAll(one, entries(1, 600), { ...limits, keep: 10 });
    expectEqual('read', await one.log.read('l', 0), 'gone');
  },
  async 'log append: each log is numbered alone'({ one, elsewhere }) {
    await appendAll(one, entries(1, 2));
    expectEqual('append', await one.log.append('other', { seq: 1, data: 'x' }, limits), 'ok');
    expectEqual('read', await one.log.read('other', 0), [{ seq: 1, data: 'x' }]);
    expectEqual('read in another place', await elsewhere.log.read('l', 0), 'gone');
  },
  async 'log append: keeps texts as they are'({ one, other }) {
    const odd = ODD_TEXTS.map((data, i) => ({ seq: i + 1, data }));
    await appendAll(one, odd);
    expectEqual('read', await other.log.read('l', 0), odd);
  },
  async 'log append: of two that write one number at the same time, one succeeds'({ one, other }) {
    const both = [one, other].map(({ log }, i) => log.append('l', { seq: 1, data: `${i}` }, limits));
    const results = await Promise.all(both);
    const winner = results.indexOf('ok');
    expectEqual('results', results.toSorted(), ['exists', 'ok']);
    expectEqual('read', await one.log.read('l', 0), [{ seq: 1, data: `${winner}` }]);
  },
  async 'log append: the log is there until its life ends after the last entry'({ one, pass }) {
    await beforeExpiry(async (name, ttlMs) => {
      await appendAll(one, entries(1, 1), { ...limits, ttlMs }, name);
      await appendAll(one, entries(2, 2), limits, name);
      if ((await one.log.read(name, 0)) === 'gone') return false;
      await pass(2 * ttlMs);
      expectEqual('read', await one.log.read(name, 0), entries(1, 2));
      return true;
    });
  },
  async 'log append: the log is gone when its life ends'({ one, pass }) {
    await appendAll(one, entries(1, 1), { ...limits, ttlMs: SHORT_MS });
    await pass(2 * SHORT_MS);
    expectEqual('read', await one.log.read('l', 0), 'gone');
  },
};
