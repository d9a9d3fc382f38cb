/** The cost of a call while the number of tools grows. */
import { only, withoutSessions } from '../contenders.ts';
import { type AnyScenario, scenario } from '../scenario.ts';
import { echoing } from '../scenarios/http-call.ts';
import { Grown } from './grown.ts';

export const growthTools: AnyScenario = scenario({
  id: 'growth-tools',
  title: 'Cost of a call by number of tools',
  about: 'Calls an echo tool over HTTP without sessions, on a server with this many tools.',
  over: 'tools',
  rows: [10, 100, 1_000, 10_000].map((tools) => ({
    id: `${tools}`,
    title: `${tools.toLocaleString('en')} tools`,
    x: tools,
    unit: 'CPU µs',
    thorough: true,
    measure: async (grown: Grown, ms) => echoing(await grown.at(tools), 1, ms),
  })),
  contenders: only(withoutSessions, 'limit', 'Mooring', 'official v2', 'tmcp', 'mcp-lite, JSON').map((entry) => ({
    name: entry.name,
    open: async () => new Grown(entry, (tools) => ({ tools })),
  })),
});
