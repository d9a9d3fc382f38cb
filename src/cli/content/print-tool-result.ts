/** Prints the result of a tool, for `call` and `tasks wait`. */
import type { ToolResult } from '../../host/index.ts';
import type { CommandContext } from '../command.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import type { OutputTarget } from './output-target.ts';
import { commandSink } from './show-content.ts';
import { showToolResult, unlessEmpty } from './show-results.ts';

export async function printToolResult(
  result: ToolResult,
  name: string,
  { shell, print, output }: CommandContext & { readonly output: OutputTarget | undefined },
): Promise<ExitCode | undefined> {
  const { data, content, isError, meta } = result;
  const sink = commandSink({ print, shell });
  const saved = await showToolResult(result, { sink, output, name, saveHint: 'use --out to save it' });
  print.data({ content, structuredContent: data, isError, _meta: unlessEmpty(meta), saved: output && saved });
  return isError ? exitCodes.no : undefined;
}
