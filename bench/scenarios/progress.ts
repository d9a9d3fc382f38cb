/** A call that sends a thousand progress notifications. */
import { inSessions, only } from '../contenders.ts';
import { messagesIn } from '../load/http-caller.ts';
import type { Reply } from '../load/http-connection.ts';
import { HttpSubject } from '../load/http-subject.ts';
import { type AnyScenario, type Sample, scenario } from '../scenario.ts';
import { count } from '../wire.ts';
import { mustBe, type ToolResult, textOf } from '../work.ts';

const STEPS = 1_000;

/** Checks that each step arrived, in order. */
function checkSteps(reply: Reply): void {
  const steps = messagesIn(reply).flatMap(({ method, params }) =>
    method === 'notifications/progress' ? [(params as { progress: number }).progress] : [],
  );
  if (steps.length !== STEPS || steps.some((step, at) => step !== at + 1))
    throw new Error(`Wrong answer: ${steps.length} of ${STEPS} steps, or not in order`);
}

async function counting(subject: HttpSubject, ms: number): Promise<Sample> {
  const caller = await subject.first();
  const once = async (): Promise<void> => {
    const { result } = await caller.call(count(STEPS), checkSteps);
    mustBe(`counted to ${STEPS}`, textOf(result as ToolResult)); // checked by textOf
  };
  return subject.measure(ms, [once], STEPS);
}

export const progress: AnyScenario = scenario({
  id: 'progress',
  title: '1,000 progress notifications in one call',
  about:
    'Counts to 1,000 over HTTP and reports each step. The limit writes each event separately. Cost per notification.',
  rows: [{ id: 'step', title: 'one notification', unit: 'CPU µs', measure: counting }],
  contenders: only(inSessions, 'limit', 'Mooring', 'official v2', 'official v1', 'fastmcp', 'tmcp', 'mcp-lite').map(
    (entry) => ({ name: entry.name, open: () => HttpSubject.start(entry) }),
  ),
});
