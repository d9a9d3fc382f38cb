/** Processes with clock skew share a store: the clock of the store decides what has expired. */
import { expect, test } from 'vitest';
import { port } from '../../test/fixtures/port.ts';
import { knock } from '../../test/support/fake-http.ts';
import { HeldClock } from '../../test/support/held-clock.ts';
import { opened, request } from '../../test/support/http-messages.ts';
import type { Clock } from '../peer/clock.ts';
import type { EventLog } from '../transport/http/event-log.ts';
import { HttpService } from '../transport/http/service.ts';
import { memoryBackend } from './memory-backend.ts';
import { sharedStores } from './shared-stores.ts';

const HOUR = 60 * 60_000;
const differences = [
  ['an hour ahead', HOUR],
  ['an hour behind', -HOUR],
] as const;

const differing = (clock: Clock, aheadMs: number): Clock => ({
  now: () => clock.now(),
  wall: () => clock.wall() + aheadMs,
  after: (ms, run) => clock.after(ms, run),
});

/** A process with the right clock, another one, a session of the first, and requests to each. */
async function two(aheadMs: number) {
  const clock = new HeldClock();
  // Moves ahead first, so that the other clock can be behind.
  await clock.pass(2 * HOUR);
  const { sessions } = sharedStores(memoryBackend({ clock }), { clock });
  const right = new HttpService(port().server, { sessions, clock });
  const other = new HttpService(port().server, { sessions, clock: differing(clock, aheadMs) });
  const headers = await opened(right, '2025-11-25');
  const ping = async (service: HttpService): Promise<number> =>
    (await knock(service, { headers, body: request(1, 'ping') })).status;
  return { clock, atRight: () => ping(right), atOther: () => ping(other) };
}

test.each(differences)(
  'a session goes on at a process whose clock is %s, and where it began',
  async (_what, aheadMs) => {
    const { clock, atRight, atOther } = await two(aheadMs);
    for (let minutes = 0; minutes < 90; minutes += 5) {
      await clock.pass(5 * 60_000);
      expect([minutes, await atOther()]).toEqual([minutes, 200]);
    }
    expect(await atRight()).toBe(200);
    for (let minutes = 0; minutes < 90; minutes += 5) {
      await clock.pass(5 * 60_000);
      expect([minutes, await atRight()]).toEqual([minutes, 200]);
    }
    expect(await atOther()).toBe(200);
  },
);

test.each(differences)(
  'a session that is not used ends after its time, also where one clock is %s',
  async (_what, aheadMs) => {
    const { clock, atRight, atOther } = await two(aheadMs);
    expect(await atOther()).toBe(200);
    await clock.pass(31 * 60_000);
    expect([await atRight(), await atOther()]).toEqual([404, 404]);
  },
);

test.each(differences)(
  'a stream whose process the store has lost sight of is given up after six seconds, also where one clock is %s',
  async (_what, aheadMs) => {
    const clock = new HeldClock();
    await clock.pass(2 * HOUR);
    const backend = memoryBackend({ clock });
    const eventLogAt = (ms: number): EventLog => sharedStores(backend, { clock: differing(clock, ms) }).eventLog;
    const [right, other] = [eventLogAt(0), eventLogAt(aheadMs)];
    // Its process has never sent a heartbeat.
    await backend.keyed.put('c:stream', JSON.stringify(['gone', '[7]']), { ttlMs: HOUR });
    expect([await right.orphaned?.('stream'), await other.orphaned?.('stream')]).toEqual([undefined, undefined]);
    await clock.pass(5_999);
    expect([await right.orphaned?.('stream'), await other.orphaned?.('stream')]).toEqual([undefined, undefined]);
    await clock.pass(1);
    expect([await right.orphaned?.('stream'), await other.orphaned?.('stream')]).toEqual([[7], [7]]);
  },
);
