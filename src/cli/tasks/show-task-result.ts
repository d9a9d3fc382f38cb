/** The result of a tool, as `call` and `tasks wait` print it. */
import type { ToolResult } from '../../host/index.ts';
import type { CommandContext } from '../command.ts';
import type { OutputTarget } from '../content/output-target.ts';
import { commandSink } from '../content/show-content.ts';
import { showToolResult } from '../content/show-results.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';

export async function printToolResult(
  result: ToolResult,
  name: string,
  { shell, print, output }: CommandContext & { readonly output: OutputTarget | undefined },
): Promise<ExitCode | undefined> {
  const { data, content, isError, meta } = result;
  const sink = commandSink({ print, shell });
  const saved = await showToolResult(result, { sink, output, name, saveHint: 'use --out to save it' });
  print.data({
    content,
    ...(data === undefined ? {} : { structuredContent: data }),
    isError,
    ...(Object.keys(meta).length === 0 ? {} : { _meta: meta }),
    ...(output === undefined ? {} : { saved }),
  });
  return isError ? exitCodes.no : undefined;
}
