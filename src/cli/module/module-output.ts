/** Interprets the stderr of a module's process: load errors of `mooring run`, and reports of handlers that threw. */
import { McpError } from '../../errors.ts';
import { badArgument } from '../arguments.ts';
import type { TargetContext } from '../target/options.ts';
import type { CommandTarget } from '../target/target.ts';

/** Replaces MCP_SERVER_EXITED by the load error that `mooring run` printed. Returns other errors unchanged. */
export function moduleFault(error: unknown, { module, label }: Pick<CommandTarget, 'module' | 'label'>): unknown {
  if (module === undefined || !(error instanceof McpError)) return error;
  // The exit can be the cause of a failed negotiation.
  if (error.code !== 'MCP_SERVER_EXITED')
    return error.cause instanceof McpError ? moduleFault(error.cause, { module, label }) : error;
  const { stderr = '' } = error.details as { readonly stderr?: string }; // a parameter of its message
  const text = stderr.replace(/\n {2}\| /g, '\n  ');
  const [, why] = text.split(`  error ${module}: `);
  if (why !== undefined) return badArgument(label, why.trimEnd());
  const [, option, fault] = /^ {2}error (--export [^\n:]*): (.*)/ms.exec(text) ?? [];
  return option === undefined || fault === undefined
    ? error
    : badArgument(option, fault.replace(module, () => label).trimEnd());
}

/** First line of the library's report about a handler that threw. */
const REPORT = /^mooring: .+ failed (?:on .+ )?\([\da-f]{8}\)/;
/** Stack lines, and the error's properties below them. */
const CONTINUED = /^(?:\s+\S|[}\]])/;
const STDERR = 'stderr: ';

/** Prints log lines of a server: all with --verbose, otherwise only a module's reports of failed handlers. */
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
