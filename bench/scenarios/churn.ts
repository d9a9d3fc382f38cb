/** Opening and ending sessions. */
import { inSessions, only } from '../contenders.ts';
import { HttpSubject } from '../load/http-subject.ts';
import { type AnyScenario, type Sample, scenario } from '../scenario.ts';
import { echo } from '../wire.ts';
import { mustBe, type ToolResult, textOf } from '../work.ts';

const CALLS = 10;
const CONNECTIONS = 8;

async function coming(subject: HttpSubject, ms: number): Promise<Sample> {
  const callers = await subject.callers(CONNECTIONS);
  const loops = callers.map((caller) => async () => {
    await caller.begin();
    for (let call = 0; call < CALLS; call++) {
      const { result } = await caller.call(echo(`ahoy ${call}`));
      mustBe(`ahoy ${call}`, textOf(result as ToolResult)); // checked by textOf
    }
    await caller.end();
  });
  return subject.measure(ms, loops);
}

export const churn: AnyScenario = scenario({
  id: 'session-churn',
  title: 'Opening and ending sessions',
  about: 'Opens a session over HTTP, calls an echo tool ten times and ends the session, on 8 connections.',
  rows: [{ id: 'churn', title: 'one session', unit: 'CPU µs', measure: coming }],
  contenders: only(
    inSessions,
    'limit',
    'Mooring',
    'official v2, JSON',
    'official v1, JSON',
    'fastmcp, JSON',
    'tmcp',
    'mcp-lite, JSON',
  ).map((entry) => ({ name: entry.name, open: () => HttpSubject.start(entry) })),
});
