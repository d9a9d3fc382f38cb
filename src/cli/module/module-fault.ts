/** What `mooring run` said about a module that it could not serve, without the process around it. */
import { McpError } from '../../errors.ts';
import { badArgument } from '../arguments.ts';
import type { CommandTarget } from '../target/target.ts';

/** The error itself, where the target is no module or its process ended for another reason. */
export function moduleFault(error: unknown, { module, label }: CommandTarget): unknown {
  if (module === undefined || !(error instanceof McpError) || error.code !== 'MCP_SERVER_EXITED') return error;
  const { stderr = '' } = error.details as { readonly stderr?: string }; // one of its text
  const [, why] = stderr.split(`  | error ${module}: `);
  return why === undefined ? error : badArgument(label, why.replace(/\n {2}\| /g, '\n  ').trimEnd());
}
