/** What the process of a module writes about itself: why it could not be served, and which handlers threw. */
import { McpError } from '../../errors.ts';
import { badArgument } from '../arguments.ts';
import type { TargetContext } from '../target/options.ts';
import type { CommandTarget } from '../target/target.ts';

/** What `mooring run` said about a module that it could not serve; the error itself, where the target is no module or its process ended for another reason. */
export function moduleFault(error: unknown, { module, label }: Pick<CommandTarget, 'module' | 'label'>): unknown {
  if (module === undefined || !(error instanceof McpError)) return error;
  // The attempt to agree on a revision can be what failed of it.
  if (error.code !== 'MCP_SERVER_EXITED')
    return error.cause instanceof McpError ? moduleFault(error.cause, { module, label }) : error;
  const { stderr = '' } = error.details as { readonly stderr?: string }; // one of its text
  const [, why] = stderr.split(`  | error ${module}: `);
  return why === undefined ? error : badArgument(label, why.replace(/\n {2}\| /g, '\n  ').trimEnd());
}

/** What our own servers write about a handler that threw. */
const REPORT = /^mooring: .+ failed (?:on .+ )?\([\da-f]{8}\)/;
/** Lines of a stack, and of the details below it. */
const CONTINUED = /^(?:\s+\S|[}\]])/;
const STDERR = 'stderr: ';

/** Shows lines of a server's log: all with `--verbose`; of a module otherwise what our own servers report about handlers that threw. */
export function logPrinter(
  { module }: Pick<CommandTarget, 'module'>,
  { values, print }: Pick<TargetContext, 'values' | 'print'>,
): (line: string) => void {
  let isReport = false;
  return (line) => {
    if (values.verbose === true) print.note(print.style('dim', line, 'stderr'));
    else if (module !== undefined && line.startsWith(STDERR)) {
      const text = line.slice(STDERR.length);
      isReport = REPORT.test(text) || (isReport && CONTINUED.test(text));
      if (isReport) print.note(text);
    }
  };
}
