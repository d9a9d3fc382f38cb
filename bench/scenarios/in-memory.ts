/** A client and a server in one process. */
import { type AnyScenario, type Contender, scenario } from '../scenario.ts';
import { Subject } from '../subject.ts';
import type { Setup } from '../work.ts';

const enter = (name: string, peer: string, era: Setup['era'] = 'session'): Contender<Subject> => ({
  name,
  open: () => Subject.start({ program: `${peer}/memory`, setup: { era } }),
});

export const inMemory: AnyScenario = scenario({
  id: 'in-memory',
  title: 'Client and server in one process',
  about: 'Calls an echo tool. The limit serializes and parses both messages and does nothing else.',
  rows: [{ id: 'call', title: 'one call', unit: 'CPU µs', measure: (one, ms) => one.ask('run', { ms }) }],
  contenders: [
    enter('limit', 'limit'),
    enter('Mooring', 'mooring'),
    enter('Mooring, stateless', 'mooring', 'stateless'),
    enter('official v2', 'official-2'),
    enter('official v2, stateless', 'official-2', 'stateless'),
    enter('official v1', 'official-1'),
    enter('fastmcp', 'fastmcp'),
    enter('tmcp', 'tmcp'),
    enter('mcp-lite', 'mcp-lite'),
  ],
});
