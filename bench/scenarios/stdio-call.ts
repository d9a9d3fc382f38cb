/** `tools/call` over stdio, sequential and pipelined. */
import { NO_STDIO, overStdio } from '../contenders.ts';
import { StdioSubject, type Work } from '../load/stdio-subject.ts';
import { type AnyScenario, scenario } from '../scenario.ts';
import { echo } from '../wire.ts';
import { mustBe, type ToolResult, textOf } from '../work.ts';

/** Calls `echo` with a different message each time. */
export function echoes(): () => Work {
  let said = 0;
  return () => {
    const message = `ahoy ${said++}`;
    return {
      call: echo(message),
      check: ({ result }) => mustBe(message, textOf(result as ToolResult)), // checked by textOf
    };
  };
}

export const stdioCall: AnyScenario = scenario({
  id: 'stdio',
  title: 'stdio server',
  about: 'Calls an echo tool, with 1 or 64 requests in flight.',
  rows: [
    { id: 'sequential', title: 'sequential', unit: 'CPU µs', measure: (one, ms) => one.measure(ms, 1, echoes()) },
    { id: 'pipelined', title: '64 in flight', unit: 'CPU µs', measure: (one, ms) => one.measure(ms, 64, echoes()) },
  ],
  contenders: overStdio.map((entry) => ({ name: entry.name, open: () => StdioSubject.start(entry) })),
  without: NO_STDIO,
});
