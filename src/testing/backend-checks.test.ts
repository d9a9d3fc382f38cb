/** everyBackend(): correct backends pass all checks, and each broken backend fails the check that names its fault. */
import { describe, expect, test } from 'vitest';
import type { Backend } from '../stores/backend.ts';
import { memoryBackend } from '../stores/memory-backend.ts';
import { numberedChannel } from '../stores/numbered-channel.ts';
import { type BackendCheck, everyBackend } from './backend-checks.ts';
import { type VirtualClock, virtualClock } from './virtual-clock.ts';

/** Handles of the same name share their data. */
function checksOf(
  wrap: (backend: Backend) => Backend = (backend) => backend,
  clock: VirtualClock = virtualClock(),
): readonly BackendCheck[] {
  const places = new Map<string, Backend>();
  return everyBackend(
    (name) => {
      const backend = places.get(name) ?? memoryBackend({ clock });
      places.set(name, backend);
      return wrap(backend);
    },
    (ms) => clock.advance(ms),
  );
}

async function failing(checks: readonly BackendCheck[]): Promise<string[]> {
  const failed: string[] = [];
  for (const { name, run } of checks) await run().catch(() => failed.push(name));
  return failed;
}

describe('memoryBackend() passes', () => {
  for (const { name, run } of checksOf()) test(name, run);
});

describe('a backend on a slow machine, which pauses before each command, passes', () => {
  const clock = virtualClock();
  const paused = <T extends object>(part: T): T =>
    new Proxy(part, {
      get(target, name) {
        const command: unknown = Reflect.get(target, name);
        if (typeof command !== 'function' || name === 'subscribe') return command;
        return async (...args: unknown[]): Promise<unknown> => {
          await clock.advance(700);
          return command.apply(target, args);
        };
      },
    });
  const pausing = ({ keyed, once, count, log, channel }: Backend): Backend => ({
    ...{ keyed: paused(keyed), once: paused(once), count: paused(count), log: paused(log), channel: paused(channel) },
  });
  for (const { name, run } of checksOf(pausing, clock)) test(name, run);
});

describe('numberedChannel() passes', () => {
  const clock = virtualClock();
  const numbered = checksOf((backend) => ({ ...backend, channel: numberedChannel(backend.channel, clock) }));
  for (const { name, run } of numbered.filter((check) => check.name.startsWith('channel'))) test(name, run);
});

test('everyBackend() returns checks with unique names', () => {
  const names = checksOf().map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(names.length).toBeGreaterThan(60);
});

test('a failed check reports the expected and the actual value', async () => {
  const checks = checksOf((backend) => ({ ...backend, once: { spend: async () => true } }));
  await expect(checks.find(({ name }) => name.startsWith('once'))?.run()).rejects.toThrow(
    'spend: expected [true,false,false], got [true,true,true]',
  );
});

/** Broken backends, by the check that must fail. */
const broken: readonly [check: string, how: string, (backend: Backend) => Partial<Backend>][] = [
  [
    'keyed put: writes nothing where another version is there',
    'ignores the version',
    ({ keyed }) => ({ keyed: { ...keyed, put: (key, value, { ttlMs }) => keyed.put(key, value, { ttlMs }) } }),
  ],
  [
    'keyed put: a version of an earlier life of the key is not accepted',
    'counts versions from 1 for each life',
    ({ keyed }) => ({ keyed: withShortVersions(keyed) }),
  ],
  [
    'keyed touch: false where there is no value, and none is made',
    'makes a value by touch',
    ({ keyed }) => ({
      keyed: {
        ...keyed,
        touch: async (key, ttlMs, mark) =>
          (await keyed.touch(key, ttlMs, mark)) || (await keyed.put(key, '', { ttlMs })) !== undefined,
      },
    }),
  ],
  [
    'keyed put: the value is gone when its life ends',
    'keeps values forever',
    ({ keyed }) => ({
      keyed: { ...keyed, put: (key, value, options) => keyed.put(key, value, { ...options, ttlMs: 1e9 }) },
    }),
  ],
  [
    'keyed delete: only the expected version',
    'deletes any version',
    ({ keyed }) => ({ keyed: { ...keyed, delete: (key) => keyed.delete(key) } }),
  ],
  [
    'once spend: of many at the same time, one succeeds',
    'looks first and writes later',
    ({ keyed }) => ({
      once: {
        async spend(key, ttlMs) {
          if ((await keyed.get(key)) !== undefined) return false;
          await keyed.put(key, '1', { ttlMs });
          return true;
        },
      },
    }),
  ],
  [
    'once spend: a failed attempt does not prolong the life',
    'prolongs the life with each attempt',
    ({ keyed }) => ({
      once: {
        async spend(key, ttlMs) {
          const isFirst = (await keyed.put(key, '1', { ttlMs, expected: '' })) !== undefined;
          await keyed.touch(key, ttlMs);
          return isFirst;
        },
      },
    }),
  ],
  [
    'count take: what is denied is not counted',
    'counts what it denies',
    ({ count }) => ({
      count: {
        async take(key, rate) {
          const result = await count.take(key, rate);
          if (!result.ok) await count.take(key, { ...rate, burst: 1_000 });
          return result;
        },
      },
    }),
  ],
  ['count take: all handles count together', 'counts for each handle', () => ({ count: memoryBackend().count })],
  [
    'log read: gone where a number in the middle is missing',
    'does not notice a gap',
    ({ log }) => ({
      log: {
        ...log,
        async read(name, after) {
          for (let at = after; at < after + 10; at++) {
            const entries = await log.read(name, at);
            if (entries !== 'gone') return entries;
          }
          return 'gone';
        },
      },
    }),
  ],
  [
    'log append: a number that is there is not written twice',
    'numbers entries itself',
    ({ log }) => ({
      log: {
        ...log,
        async append(name, entry, limits) {
          const result = await log.append(name, entry, limits);
          return result === 'ok' ? result : log.append(name, { ...entry, seq: entry.seq + 1 }, limits);
        },
      },
    }),
  ],
  [
    'channel: nothing counts as missed where senders overtake each other',
    'has one number for all senders',
    ({ channel }) => ({
      channel: {
        ...channel,
        subscribe(name, onData, onMissed) {
          const last = { m: -1 };
          return channel.subscribe(
            name,
            (data) => {
              const number = /^m(\d+)$/.exec(data)?.[1];
              if (number !== undefined && Number(number) !== ++last.m) onMissed();
              onData(data);
            },
            onMissed,
          );
        },
        publish: async (name, data) => {
          if (data === 'm7') await Promise.resolve();
          await channel.publish(name, data);
        },
      },
    }),
  ],
  [
    'channel: a listener that was stopped hears nothing, and the others go on',
    'does not stop',
    ({ channel }) => ({
      channel: {
        ...channel,
        subscribe(...args) {
          channel.subscribe(...args);
          return () => undefined;
        },
      },
    }),
  ],
];

function withShortVersions(keyed: Backend['keyed']): Backend['keyed'] {
  const shorts = new WeakMap<Backend['keyed'], Map<string, number>>();
  const counts = shorts.get(keyed) ?? new Map<string, number>();
  shorts.set(keyed, counts);
  return {
    ...keyed,
    async get(key) {
      const entry = await keyed.get(key);
      return entry && { ...entry, version: entry.value.split('|')[0] ?? '', value: entry.value.split('|')[1] ?? '' };
    },
    async put(key, value, { ttlMs, expected }) {
      const now = await keyed.get(key);
      const version = now?.value.split('|')[0] ?? '';
      if (expected !== undefined && expected !== version) return undefined;
      const next = `${Number(version) + 1}`;
      await keyed.put(key, `${next}|${value}`, { ttlMs });
      return next;
    },
  };
}

test.each(broken)('the check "%s" fails with a backend that %s', async (check, _, wrap) => {
  const checks = checksOf((backend) => ({ ...backend, ...wrap(backend) }));
  expect(await failing(checks.filter(({ name }) => name === check))).toEqual([check]);
});
