/** JavaScript function calls per request: deterministic, on any machine and under any load. */
import { inSessions, withoutSessions } from '../contenders.ts';
import { HttpSubject } from '../load/http-subject.ts';
import type { Counted } from '../peers/inspecting.ts';
import { type AnyScenario, type Row, type Sample, scenario } from '../scenario.ts';
import { echo } from '../wire.ts';
import { mustBe, type ToolResult, textOf } from '../work.ts';

const CALLS = 200;

async function counted(subject: HttpSubject): Promise<Sample> {
  const caller = await subject.first();
  const calls = async (): Promise<void> => {
    for (let call = 0; call < CALLS; call++) {
      const { result } = await caller.call(echo('ahoy'));
      mustBe('ahoy', textOf(result as ToolResult)); // checked by textOf
    }
  };
  await subject.process.ask('startCounting');
  await calls();
  await subject.process.ask('counted');
  await calls();
  const functions = await subject.process.ask<Counted[]>('counted');
  return { cost: functions.reduce((sum, { calls: times }) => sum + times, 0) / CALLS };
}

const row: Row<HttpSubject> = {
  id: 'call',
  title: 'one call',
  unit: 'function calls',
  exact: true,
  measure: counted,
};

const about =
  'Counts all JavaScript function calls, including those inside Node, while an echo tool is called over HTTP.';

export const functionCalls: AnyScenario = scenario({
  id: 'function-calls',
  title: 'JavaScript function calls per request, in sessions',
  about,
  rows: [row],
  contenders: inSessions.map((entry) => ({ name: entry.name, open: () => HttpSubject.start(entry) })),
});

export const functionCallsStateless: AnyScenario = scenario({
  id: 'function-calls-stateless',
  title: 'JavaScript function calls per request, without sessions',
  about,
  rows: [row],
  contenders: withoutSessions.map((entry) => ({ name: entry.name, open: () => HttpSubject.start(entry) })),
});
