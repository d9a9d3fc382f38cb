/** What the process of a module writes about itself: why it could not be served, and which handlers threw. */
import { McpError } from '../../errors.ts';
import { badArgument } from '../arguments.ts';
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

/** Shows of everything that a module writes to standard error only such reports. */
export class FailureReports {
  readonly #show: (line: string) => void;
  #rest = '';
  #inside = false;

  constructor(show: (line: string) => void) {
    this.#show = show;
  }

  /** Chunks end anywhere. */
  hear(chunk: string): void {
    const lines = (this.#rest + chunk).split(/\r?\n/);
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      this.#inside = REPORT.test(line) || (this.#inside && CONTINUED.test(line));
      if (this.#inside) this.#show(line);
    }
  }
}
