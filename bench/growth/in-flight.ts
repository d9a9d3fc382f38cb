/** The cost of a call while the number of calls in flight grows. */
import { only, overStdio } from '../contenders.ts';
import { StdioSubject } from '../load/stdio-subject.ts';
import { type AnyScenario, scenario } from '../scenario.ts';
import { echoes } from '../scenarios/stdio-call.ts';

export const growthInFlight: AnyScenario = scenario({
  id: 'growth-in-flight',
  title: 'Cost of a call by number of calls in flight',
  about: 'Calls an echo tool over stdio, with this many requests in flight.',
  over: 'calls in flight',
  rows: [1, 10, 100, 1_000].map((window) => ({
    id: `${window}`,
    title: `${window.toLocaleString('en')} in flight`,
    x: window,
    unit: 'CPU µs',
    thorough: true,
    measure: (one: StdioSubject, ms) => one.measure(ms, window, echoes()),
  })),
  contenders: only(overStdio, 'limit', 'Mooring', 'official v2', 'official v1', 'tmcp').map((entry) => ({
    name: entry.name,
    open: () => StdioSubject.start(entry),
  })),
});
