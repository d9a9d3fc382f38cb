/** The cost of a call while its message grows. */
import { inSessions, only } from '../contenders.ts';
import { HttpSubject } from '../load/http-subject.ts';
import { type AnyScenario, scenario } from '../scenario.ts';
import { echoOverHttp, room, text } from '../scenarios/payload.ts';

const sizes: readonly (readonly [number, string])[] = [
  [1_000, '1 kB'],
  [10_000, '10 kB'],
  [100_000, '100 kB'],
  [1_000_000, '1 MB'],
  [10_000_000, '10 MB'],
];

export const growthPayload: AnyScenario = scenario({
  id: 'growth-payload',
  title: 'Cost of a call by message size',
  about:
    'Echoes a message of this size over HTTP. Reading and writing take time per byte, so the expected curve is a straight line with exponent 1.',
  over: 'bytes',
  rows: sizes.map(([bytes, title]) => ({
    id: `${bytes}`,
    title,
    x: bytes,
    unit: 'CPU µs',
    thorough: true,
    measure: (one: HttpSubject, ms) => echoOverHttp(one, text(bytes), ms),
  })),
  contenders: only(inSessions, 'limit', 'Mooring', 'official v2, JSON', 'tmcp', 'mcp-lite, JSON').map((entry) => ({
    name: entry.name,
    open: () => HttpSubject.start(entry, { room }),
  })),
});
