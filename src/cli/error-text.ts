/** Errors in the words of the command line: where the library names one of its settings, an option is named instead. */
import { McpError } from '../errors.ts';
import { exitCodeOf, exitCodes } from './exit-codes.ts';

/** A mistake of ours shows where it was made; everything else says what to do in its text. */
export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (exitCodeOf(error) === exitCodes.bug && !(error instanceof McpError)) return error.stack ?? error.message;
  const cause = error instanceof McpError && error.cause instanceof McpError ? `\n${error.cause.message}` : '';
  return withOptions(error) + cause;
}

/** The library names its settings; here they are options of the command line. */
function withOptions(error: Error): string {
  const url =
    error instanceof McpError && error.code === 'MCP_UNAUTHORIZED' ? String(error.details['url']) : '<target>';
  return error.message
    .replace(
      'pass credentials as "headers" or "auth"',
      `sign in with \`mooring login ${url}\`, or pass --header "Authorization: Bearer …"`,
    )
    .replace(/\((?:connectTimeoutMs|timeoutMs is [^)]*)\)/, '(--timeout <seconds> waits longer)');
}
