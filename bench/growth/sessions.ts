/** The cost of a call while the number of open sessions grows. */
import { type Entry, inSessions, only } from '../contenders.ts';
import { HttpSubject } from '../load/http-subject.ts';
import { type AnyScenario, type Sample, scenario } from '../scenario.ts';
import { echo } from '../wire.ts';
import { mustBe, type ToolResult, textOf } from '../work.ts';

const CONNECTIONS = 10;

/** A server with a growing number of sessions, called round-robin. */
class Sessions implements AsyncDisposable {
  readonly #entry: Entry;
  readonly #ids: string[] = [];
  #subject: HttpSubject | undefined;

  constructor(entry: Entry) {
    this.#entry = entry;
  }

  async measure(total: number, ms: number): Promise<Sample> {
    this.#subject ??= await HttpSubject.start(this.#entry);
    const callers = await this.#subject.callers(CONNECTIONS);
    const open = async (at: number): Promise<void> => {
      while (this.#ids.length < total) this.#ids.push((await callers[at]?.begin()) ?? '');
    };
    await Promise.all(callers.map((_, at) => open(at)));
    let next = 0;
    const loops = callers.map((caller) => async () => {
      caller.enter(this.#ids[next++ % total] ?? '');
      const { result } = await caller.call(echo('ahoy'));
      mustBe('ahoy', textOf(result as ToolResult)); // checked by textOf
    });
    return this.#subject.measure(ms, loops);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#subject?.[Symbol.asyncDispose]();
  }
}

export const growthSessions: AnyScenario = scenario({
  id: 'growth-sessions',
  title: 'Cost of a call by number of open sessions',
  about: 'Calls an echo tool over HTTP with this many sessions open, each call in the next session.',
  over: 'sessions',
  rows: [10, 100, 1_000, 9_900].map((sessions) => ({
    id: `${sessions}`,
    title: `${sessions.toLocaleString('en')} sessions`,
    x: sessions,
    unit: 'CPU µs',
    thorough: true,
    measure: (one: Sessions, ms) => one.measure(sessions, ms),
  })),
  contenders: only(inSessions, 'limit', 'Mooring', 'official v2, JSON', 'tmcp', 'mcp-lite, JSON').map((entry) => ({
    name: entry.name,
    open: async () => new Sessions(entry),
  })),
});
