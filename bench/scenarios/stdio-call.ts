/** `tools/call` over stdio, one after the other and many at once. */
import { NO_STDIO, overStdio } from '../contenders.ts';
import { StdioSubject, type Work } from '../load/stdio-subject.ts';
import { type AnyScenario, scenario } from '../scenario.ts';
import { echo } from '../wire.ts';
import { mustBe, type ToolResult, textOf } from '../work.ts';

/** Echoes with a message of its own each. */
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
  about: 'Calls a tool that echoes a message, with one request or 64 requests open.',
  rows: [
    { id: 'sequential', title: 'sequential', unit: 'CPU µs', measure: (one, ms) => one.measure(ms, 1, echoes()) },
    { id: 'pipelined', title: '64 in flight', unit: 'CPU µs', measure: (one, ms) => one.measure(ms, 64, echoes()) },
  ],
  contenders: overStdio.map((entry) => ({ name: entry.name, open: () => StdioSubject.start(entry) })),
  without: NO_STDIO,
});
