/** The cost of one notification while the number of subscribers grows. */
import { only, withoutSessions } from '../contenders.ts';
import { HttpSubject } from '../load/http-subject.ts';
import { type AnyScenario, scenario } from '../scenario.ts';
import { Listeners } from '../scenarios/listen.ts';

const sizes = [10, 100, 1_000, 4_000];
const listeners = 5_000;

export const growthSubscribers: AnyScenario = scenario({
  id: 'growth-subscribers',
  title: 'Cost of a notification by number of subscribers',
  about: 'Adds or removes a tool; this many subscriptions/listen streams are notified. Cost per notification.',
  over: 'subscribers',
  rows: sizes.map((total) => ({
    id: `${total}`,
    title: `${total.toLocaleString('en')} subscribers`,
    x: total,
    unit: 'CPU µs',
    thorough: true,
    async measure(one: Listeners, ms) {
      await one.grow(total);
      return one.measure(ms);
    },
  })),
  contenders: only(withoutSessions, 'limit', 'Mooring', 'official v2', 'tmcp').map((entry) => ({
    name: entry.name,
    open: async () => new Listeners(await HttpSubject.start(entry, { listeners })),
  })),
});
