/** `tools/call` over HTTP, with and without sessions. */
import { type Entry, inSessions, withoutSessions } from '../contenders.ts';
import { HttpSubject } from '../load/http-subject.ts';
import { type AnyScenario, type Row, type Sample, scenario } from '../scenario.ts';
import { echo } from '../wire.ts';
import { mustBe, type ToolResult, textOf } from '../work.ts';

const about = 'Calls an echo tool; each connection sends one call at a time.';

/** Calls `echo` on this many connections. */
export async function echoing(subject: HttpSubject, connections: number, ms: number): Promise<Sample> {
  const callers = await subject.callers(connections);
  const loops = callers.map((caller, at) => {
    let said = 0;
    return async () => {
      const message = `ahoy ${at} ${said++}`;
      const { result } = await caller.call(echo(message));
      mustBe(message, textOf(result as ToolResult)); // checked by textOf
    };
  });
  return subject.measure(ms, loops);
}

const rows: readonly Row<HttpSubject>[] = [1, 16, 64].map((connections) => ({
  id: `${connections}`,
  title: connections === 1 ? '1 connection' : `${connections} connections`,
  unit: 'CPU µs',
  thorough: connections !== 16,
  measure: (subject, ms) => echoing(subject, connections, ms),
}));

const entered = (entries: readonly Entry[]) =>
  entries.map((entry) => ({ name: entry.name, open: () => HttpSubject.start(entry) }));

export const httpSession: AnyScenario = scenario({
  id: 'http-session',
  title: 'HTTP server, in sessions',
  about,
  rows,
  contenders: entered(inSessions),
});

export const httpStateless: AnyScenario = scenario({
  id: 'http-stateless',
  title: 'HTTP server, without sessions',
  about,
  rows,
  contenders: entered(withoutSessions),
});
