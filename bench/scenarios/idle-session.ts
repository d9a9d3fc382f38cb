/** Memory of an idle session. */
import { type Entry, inSessions, only } from '../contenders.ts';
import { HttpSubject } from '../load/http-subject.ts';
import { type AnyScenario, type Row, type Sample, scenario } from '../scenario.ts';

const CONNECTIONS = 100;
/** Sessions per connection, in long and in short rounds. */
const MANY = 20;
const FEW = 3;
const LONG_MS = 500;

/** A new server with `--expose-gc` for each measurement. */
class Weighed implements AsyncDisposable {
  readonly #entry: Entry;

  constructor(entry: Entry) {
    this.#entry = entry;
  }

  async weigh(tools: number, ms: number): Promise<Sample> {
    const each = ms < LONG_MS ? FEW : MANY;
    await using subject = await HttpSubject.start(this.#entry, { tools }, ['--expose-gc']);
    const callers = await subject.callers(CONNECTIONS);
    const open = async (at: number): Promise<void> => {
      for (let session = 0; session < each; session++) await callers[at]?.begin();
    };
    // The first batch warms up: what is loaded, compiled or allocated once is not part of the cost of a session.
    await Promise.all(callers.map((_, at) => open(at)));
    const before = await subject.process.ask<number>('heap');
    await Promise.all(callers.map((_, at) => open(at)));
    const after = await subject.process.ask<number>('heap');
    return { cost: (after - before) / (CONNECTIONS * each) };
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

const beside = (tools: number): Row<Weighed> => ({
  id: `${tools}-tools`,
  title: `${tools} tools`,
  unit: 'bytes',
  exact: true,
  thorough: tools !== 2,
  measure: (one, ms) => one.weigh(tools, ms),
});

export const idleSession: AnyScenario = scenario({
  id: 'idle-session',
  title: 'Memory of an idle session over HTTP',
  about:
    'Opens 2,000 sessions (300 in a quick run), collects garbage, opens as many again, and divides the growth of the heap by their number.',
  rows: [beside(2), beside(50)],
  contenders: only(inSessions, 'limit', 'Mooring', 'official v2', 'official v1', 'fastmcp', 'tmcp', 'mcp-lite').map(
    (entry) => ({ name: entry.name, open: async () => new Weighed(entry) }),
  ),
});
