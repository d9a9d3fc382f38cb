/** Clients that call handwritten servers. */
import { ClientSubject } from '../load/client-subject.ts';
import { type AnyScenario, type Contender, scenario } from '../scenario.ts';
import type { Setup } from '../work.ts';

const NO_CLIENT = { fastmcp: 'no client', tmcp: 'no client', 'mcp-lite': 'no client' };

const contenders = (over: 'http' | 'stdio'): Contender<ClientSubject>[] => {
  const enter = (name: string, program: string, era: Setup['era'] = 'session'): Contender<ClientSubject> => ({
    name,
    open: () => ClientSubject.start({ program, era, over }),
  });
  return [
    enter('limit', `limit/client-${over}`),
    enter('Mooring', 'mooring/client'),
    enter('Mooring, stateless', 'mooring/client', 'stateless'),
    enter('official v2', 'official-2/client'),
    enter('official v2, stateless', 'official-2/client', 'stateless'),
    enter('official v1', 'official-1/client'),
  ];
};

export const clientHttp: AnyScenario = scenario({
  id: 'client-http',
  title: 'Client over HTTP',
  about: 'Calls an echo tool of a handwritten server. The limit calls undici directly.',
  rows: [
    {
      id: 'json',
      title: 'JSON, sequential',
      unit: 'CPU µs',
      thorough: true,
      measure: (one, ms) => one.measure('json', 1, ms),
    },
    { id: 'json-16', title: 'JSON, 16 in flight', unit: 'CPU µs', measure: (one, ms) => one.measure('json', 16, ms) },
    { id: 'sse-16', title: 'SSE, 16 in flight', unit: 'CPU µs', measure: (one, ms) => one.measure('sse', 16, ms) },
  ],
  contenders: contenders('http'),
  without: NO_CLIENT,
});

export const clientStdio: AnyScenario = scenario({
  id: 'client-stdio',
  title: 'Client over stdio',
  about: 'Calls an echo tool of a child process over stdio. The limit reads and writes lines.',
  rows: [
    { id: 'sequential', title: 'sequential', unit: 'CPU µs', measure: (one, ms) => one.measure('stdio', 1, ms) },
    { id: 'pipelined', title: '64 in flight', unit: 'CPU µs', measure: (one, ms) => one.measure('stdio', 64, ms) },
  ],
  contenders: contenders('stdio'),
  without: NO_CLIENT,
});
