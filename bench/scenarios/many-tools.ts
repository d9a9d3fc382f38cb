/** Servers with a thousand tools: listing all of them, and calling one. */
import { type Entry, inSessions, limit, only, withoutSessions } from '../contenders.ts';
import { HttpSubject } from '../load/http-subject.ts';
import { type AnyScenario, type Sample, scenario } from '../scenario.ts';
import { list } from '../wire.ts';
import { others, plain } from '../work.ts';
import { echoing } from './http-call.ts';

export const MANY = 1_000;
const FEW = 2;

const names = new Set(['echo', 'count', ...others({ ...plain, tools: MANY })]);

export async function listing(subject: HttpSubject, ms: number): Promise<Sample> {
  const caller = await subject.first();
  const once = async (): Promise<void> => {
    const { result } = await caller.call(list);
    const { tools } = result as { tools: readonly { readonly name: string }[] }; // counted next
    const right = tools.filter(({ name }) => names.has(name));
    if (right.length !== MANY || tools.length !== MANY) throw new Error(`Wrong answer: ${tools.length} tools`);
  };
  return subject.measure(ms, [once]);
}

const rewritten: Entry = { ...limit, name: 'limit, serialized each time' };
const cached: Entry = { ...limit, setup: { ...limit.setup, json: true } };

export const toolsList: AnyScenario = scenario({
  id: 'tools-list',
  title: 'tools/list with 1,000 tools',
  about:
    'Lists 1,000 tools, about 1.3 MB, over HTTP. The limit serializes the list once; its second row does so for each request.',
  rows: [{ id: 'list', title: 'one list', unit: 'CPU µs', measure: listing }],
  contenders: [
    cached,
    rewritten,
    ...only(inSessions, 'Mooring', 'official v2, JSON', 'official v1, JSON', 'fastmcp, JSON', 'tmcp', 'mcp-lite, JSON'),
  ].map((entry) => ({ name: entry.name, open: () => HttpSubject.start(entry, { tools: MANY }) })),
});

/** The same server with few and with many tools. */
class Both implements AsyncDisposable {
  readonly few: HttpSubject;
  readonly many: HttpSubject;

  constructor(few: HttpSubject, many: HttpSubject) {
    this.few = few;
    this.many = many;
  }

  static async start(entry: Entry): Promise<Both> {
    return new Both(await HttpSubject.start(entry, { tools: FEW }), await HttpSubject.start(entry, { tools: MANY }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.few[Symbol.asyncDispose]();
    await this.many[Symbol.asyncDispose]();
  }
}

export const callBeside: AnyScenario = scenario({
  id: 'call-beside',
  title: 'A call on a server with more tools, without sessions',
  about: 'Calls an echo tool of a server with 1 other tool, and of a server with 999.',
  rows: [
    {
      id: 'few',
      title: '1 other tool',
      unit: 'CPU µs',
      thorough: true,
      measure: ({ few }, ms) => echoing(few, 1, ms),
    },
    { id: 'many', title: '999 other tools', unit: 'CPU µs', measure: ({ many }, ms) => echoing(many, 1, ms) },
  ],
  contenders: withoutSessions.map((entry) => ({ name: entry.name, open: () => Both.start(entry) })),
});
