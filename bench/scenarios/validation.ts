/** The cost of validating arguments, by schema library. */
import { StdioSubject } from '../load/stdio-subject.ts';
import { type AnyScenario, type Contender, type Sample, scenario } from '../scenario.ts';
import { mustBe, type Setup, type ToolResult, textOf } from '../work.ts';

const line = { sku: 'rope-12', quantity: 4, price: 12.5 };
const order = {
  order: 'A-1041',
  express: true,
  lines: [line, { ...line, quantity: 1 }, line],
  note: 'To the north quay',
};
const call = { method: 'tools/call', name: 'order', params: { name: 'order', arguments: order } };
const expected = 'A-1041: 9';

const ordering = (subject: StdioSubject, ms: number): Promise<Sample> =>
  subject.measure(ms, 64, () => ({
    call,
    check: ({ result }) => mustBe(expected, textOf(result as ToolResult)), // checked by textOf
  }));

const enter = (name: string, peer: string, schema: Setup['schema']): Contender<StdioSubject> => ({
  name,
  open: () => StdioSubject.start({ name, peer, program: 'validating' }, { schema }),
});

export const validation: AnyScenario = scenario({
  id: 'validation',
  title: 'Validating arguments',
  about:
    'Sends an order with three lines over stdio, 64 in flight. The limit does not validate; the others do, with the library named.',
  rows: [{ id: 'order', title: 'one order', unit: 'CPU µs', measure: ordering }],
  contenders: [
    enter('limit', 'limit', 'none'),
    enter('limit + zod', 'limit', 'zod'),
    enter('limit + valibot', 'limit', 'valibot'),
    enter('limit + JSON Schema (ajv)', 'limit', 'json'),
    enter('Mooring, zod', 'mooring', 'zod'),
    enter('Mooring, valibot', 'mooring', 'valibot'),
    enter('Mooring, JSON Schema', 'mooring', 'json'),
    enter('official v2, zod', 'official-2', 'zod'),
    enter('official v2, valibot', 'official-2', 'valibot'),
    enter('official v2, JSON Schema', 'official-2', 'json'),
    enter('tmcp, zod', 'tmcp', 'zod'),
    enter('tmcp, valibot', 'tmcp', 'valibot'),
  ],
});
