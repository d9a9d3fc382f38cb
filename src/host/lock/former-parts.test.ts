/** What it costs to find out that parts were renamed, counted and not timed. */
import { expect, test, vi } from 'vitest';
import { systemClock } from '../../peer/clock.ts';
import { FormerParts } from './former-parts.ts';
import { Lock } from './lock.ts';
import { hashOf, type Pinnable, pinnedForm } from './pinnable.ts';
import { featuresOf, similarity } from './similarity.ts';

vi.mock(import('./similarity.ts'), async (original) => {
  const real = await original();
  return { ...real, similarity: vi.fn(real.similarity), featuresOf: vi.fn(real.featuresOf) };
});

const tool = (name: string, about: string): Pinnable => ({
  kind: 'tool',
  server: 'shop',
  key: name,
  definition: {
    name,
    description: `Sends a message about ${about} to the customer`,
    inputSchema: { type: 'object', properties: { text: { type: 'string' }, [about]: { type: 'string' } } },
  },
});
const tools = (prefix: string, count: number): Pinnable[] =>
  Array.from({ length: count }, (_, n) => tool(`${prefix}${n}`, `topic${n}`));

const meet = (lock: Lock, parts: readonly Pinnable[]): Promise<void> =>
  lock.record({ server: 'shop', kind: 'tool', address: 'x', claims: 'y', parts });

test('renamed parts are compared once each, although every approval has all of them judged again', async () => {
  const COUNT = 60;
  const lock = new Lock({ clock: systemClock, onWarning: () => undefined });
  const [before, after] = [tools('old', COUNT), tools('new', COUNT)];
  await meet(lock, before);
  await lock.accept(...before);
  await meet(lock, after);
  vi.clearAllMocks();
  for (const part of after) {
    for (const one of after) lock.check(one);
    expect(lock.check(part).reasons[0]).toBe(`it was called "old${part.key.slice(3)}"`);
    await lock.accept(part);
  }
  expect(after.map((part) => lock.check(part).status)).toEqual(after.map(() => 'pinned'));
  expect(vi.mocked(similarity).mock.calls.length).toBeLessThanOrEqual(COUNT * COUNT);
  expect(vi.mocked(featuresOf).mock.calls.length).toBeLessThanOrEqual(2 * COUNT);
});

test('judging parts of which none is approved looks at what is pinned once, and not once for each', async () => {
  const COUNT = 400;
  const lock = new Lock({ clock: systemClock, onWarning: () => undefined });
  const parts = tools('t', COUNT);
  await meet(lock, parts);
  vi.clearAllMocks();
  const entries = vi.spyOn(Map.prototype, Symbol.iterator);
  for (const part of parts) expect(lock.check(part).status).toBe('new');
  const whole = entries.mock.contexts.filter((map) => map instanceof Map && map.size === COUNT);
  entries.mockRestore();
  expect(whole.length).toBeLessThanOrEqual(1);
  expect(similarity).not.toHaveBeenCalled();
});

test('parts beyond the budget count as wider, because nobody knows what they were', () => {
  const definition = (name: string, n: number): Record<string, unknown> => ({
    name,
    description: Array.from({ length: 200 }, (_, i) => `word${i}${i === 0 ? n : ''}`).join(' '),
  });
  const COUNT = 400;
  const gone = Array.from({ length: COUNT }, (_, n) => {
    const form = pinnedForm(definition(`old${n}`, n));
    return { id: `tool old${n}`, approved: true, hash: hashOf(form), definition: form };
  });
  const former = new FormerParts();
  former.update(gone);
  const found = Array.from({ length: COUNT }, (_, n) => {
    const form = pinnedForm(definition(`new${n}`, n));
    return former.of(hashOf(form), form);
  });
  expect(found[0]).toMatchObject({ id: 'tool old0' });
  expect(found.at(-1)).toBe('unknown');
  expect(former.comparisons).toBeLessThan(5_000_000 / 200);
});

test('a part that cannot be compared with those that went is asked about', async () => {
  const lock = new Lock({ clock: systemClock, onWarning: () => undefined });
  const [before, after] = [tools('old', 2), tools('new', 2)];
  await meet(lock, before);
  await lock.accept(...before);
  await meet(lock, after);
  const unknown = vi.spyOn(FormerParts.prototype, 'of').mockReturnValue('unknown');
  expect(lock.check(after[0] as Pinnable)).toMatchObject({
    status: 'wider',
    reasons: ['more approved parts went at once than this one can be compared with'],
  });
  unknown.mockRestore();
});
