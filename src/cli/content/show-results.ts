/** Shows results of tools, prompts and resources, for commands and the chat. */
import { isDeepStrictEqual } from 'node:util';
import { McpError } from '../../errors.ts';
import type { AttemptResult, PromptResult, ToolResult } from '../../host/index.ts';
import { isObject } from '../../jsonrpc/message.ts';
import type { ResourceContents } from '../../model/content.ts';
import { printable, printableIndented } from '../../model/printable.ts';
import type { CommandContext } from '../command.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import type { OutputTarget, SavedPart } from './output-target.ts';
import { bytesOf, commandSink, describePart, type ShowContentOptions, saveParts, showContent } from './show-content.ts';

type SavedPaths = Promise<readonly string[]>;

/** Undefined for an empty object, so that JSON output omits the member. */
export const unlessEmpty = <T extends object>(members: T): T | undefined =>
  Object.keys(members).length === 0 ? undefined : members;

export async function showToolResult(result: AttemptResult, options: ShowContentOptions): SavedPaths {
  const { sink } = options;
  const { data, content, isError, text } = result;
  if (isError)
    sink.note(`${sink.style('red', 'error', 'stderr')} ${printableIndented(text === '' ? 'The tool failed' : text)}`);
  const shown = isError
    ? content.filter(({ type }) => type !== 'text')
    : content.filter((one) => !repeatsData(one, data));
  const paths = await showContent(shown, options);
  if (data !== undefined && !isError && !wrapsText(result)) sink.text(JSON.stringify(data, null, 2));
  return paths;
}

/** For `call` and `tasks wait`. */
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

/** Servers repeat structured data as text, for clients without support for it. Shown once. */
function repeatsData(block: AttemptResult['content'][number], data: unknown): boolean {
  if (data === undefined || block.type !== 'text') return false;
  try {
    return isDeepStrictEqual(JSON.parse(block.text), data);
  } catch {
    return false;
  }
}

/** Some SDKs wrap plain text as data, such as `{ result: text }`. Shown once. */
function wrapsText({ data, text }: AttemptResult): boolean {
  const values: readonly unknown[] = isObject(data) ? Object.values(data) : [];
  return values.length === 1 && values[0] === text;
}

/** Each message under its role. */
export async function showPrompt({ messages }: PromptResult, options: ShowContentOptions): SavedPaths {
  const { sink } = options;
  const paths: string[] = [];
  for (const [at, { role, content }] of messages.entries()) {
    sink.line(`${at === 0 ? '' : '\n'}${sink.style('bold', printable(role))}:`);
    paths.push(...(await showContent([content], options)));
  }
  return paths;
}

/** With `output`, saves everything, including text. */
export async function showResource(
  contents: readonly ResourceContents[],
  { sink, output }: Omit<ShowContentOptions, 'name'>,
): SavedPaths {
  const parts = contents.map(resourcePart);
  if (output !== undefined) return saveParts(parts, { sink, output });
  for (const [at, one] of contents.entries()) {
    if (contents.length > 1) sink.line(`${at === 0 ? '' : '\n'}==> ${printable(one.uri)} <==`);
    const part = parts[at];
    if ('text' in one) sink.text(one.text);
    else if (part !== undefined) sink.line(`${printable(one.uri)}: ${describePart(part)}`);
  }
  return [];
}

/** Throws `MCP_BAD_RESULT` for invalid base64. */
export function resourcePart(contents: ResourceContents): SavedPart {
  const { uri, mimeType } = contents;
  if ('text' in contents) return { name: uri, mimeType: mimeType ?? 'text/plain', bytes: Buffer.from(contents.text) };
  const part = bytesOf(contents);
  if (part === undefined)
    throw new McpError('MCP_BAD_RESULT', { method: 'resources/read', why: `the blob of ${uri} is not valid base64` });
  return part;
}
