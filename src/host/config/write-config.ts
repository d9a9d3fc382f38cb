/** Changes one server in a configuration file, in the file's own dialect, and leaves everything else as it is. */
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { McpError } from '../../errors.ts';
import { FileFault } from '../../files/file-fault.ts';
import { whileLocked } from '../../files/file-lock.ts';
import { decodeLossless, encodeLossless } from '../../files/file-text.ts';
import { JsoncFault, type JsoncNode, lineOf, parseJsonc } from '../../files/jsonc.ts';
import { isObjectNode, memberOf, nodeAt } from '../../files/jsonc-tree.ts';
import { followLinks, replaceFile } from '../../files/replace-file.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import { type Clock, systemClock } from '../../peer/clock.ts';
import { removeAt, setAt } from './jsonc-edit.ts';
import { configBytes, expandHome } from './read-config.ts';
import { findServerLists, shapeFor, urlFieldFor } from './shapes.ts';
import type { ConfigText } from './source.ts';

/** What is left out stays as it is; `null` takes it away. Secrets are written as references, and never as values. */
export interface ConfigChange {
  readonly command?: ConfigText | null;
  readonly args?: readonly ConfigText[] | null;
  readonly env?: Readonly<Record<string, ConfigText>> | null;
  readonly envFile?: ConfigText | null;
  readonly cwd?: ConfigText | null;
  readonly url?: ConfigText | null;
  readonly headers?: Readonly<Record<string, ConfigText>> | null;
  readonly disabled?: boolean;
}

/** `name` is spelled as in the file. `'remove'` takes the server out of the file. */
export async function writeConfig(path: string, name: string, change: ConfigChange | 'remove'): Promise<void> {
  await editConfig(expandHome(path), systemClock, (before, file) =>
    editServer(before ?? '{}\n', { file, name, change }),
  );
}

/**
 * Makes a change on top of what the file holds by then, while no other process does. What a link leads to is changed, and the
 * link stays. Throws `MCP_BAD_CONFIG` where the file cannot be read or written.
 */
export async function editConfig(
  path: string,
  clock: Clock,
  change: (before: string | undefined, file: string) => string,
): Promise<void> {
  try {
    const file = await followLinks(path);
    await mkdir(dirname(file), { recursive: true });
    await whileLocked(file, { clock }, async () => {
      const before = await editableText(file);
      const after = change(before, file);
      if (after !== before) await replaceFile(file, encodeLossless(after), { mode: 0o600 });
    });
  } catch (error) {
    throw configError(path, error);
  }
}

/** The text to be changed, undefined where there is no file. Bytes that are not UTF-8 survive it. */
export async function editableText(file: string): Promise<string | undefined> {
  try {
    const bytes = await configBytes(file);
    return bytes === undefined ? undefined : decodeLossless(bytes);
  } catch (error) {
    throw configError(file, error);
  }
}

const configError = (file: string, error: unknown): unknown =>
  error instanceof FileFault
    ? new McpError('MCP_BAD_CONFIG', { file, line: 1, why: `it cannot be used: ${error.why}` }, { cause: error })
    : error;

interface ServerEdit {
  readonly file: string;
  readonly name: string;
  readonly change: ConfigChange | 'remove';
}

/** The text of the file with the change made. */
export function editServer(text: string, { file, name, change }: ServerEdit): string {
  try {
    const root = parseJsonc(text);
    if (!isObjectNode(root)) throw new JsoncFault(root.start, 'expected an object');
    const found = findServerLists(root);
    const list = found.find(({ servers }) => memberOf(servers, name) !== undefined) ?? found[0];
    const path = [...(list?.shape ?? shapeFor(file)).servers, name];
    if (change === 'remove') return removeAt(text, path);
    const entry = nodeAt(root, path);
    const field = urlFieldFor(file);
    const url = findUrlField([entry, ...(list?.servers.members.map(({ value }) => value) ?? [])]) ?? field.name;
    if (!isObjectNode(entry)) return setAt(text, path, newEntry(change, { url, typed: field.typed }));
    return memberEdits(change, entry, url).reduce(
      (now, [keys, value]) =>
        value === null ? removeAt(now, [...path, ...keys]) : setAt(now, [...path, ...keys], value),
      text,
    );
  } catch (thrown) {
    if (!(thrown instanceof JsoncFault)) throw thrown;
    throw new McpError('MCP_BAD_CONFIG', { file, line: lineOf(text, thrown.offset), why: thrown.message });
  }
}

type MemberEdit = readonly [path: readonly string[], value: unknown];

/** `null` removes the member. */
function memberEdits(change: ConfigChange, entry: JsoncNode | undefined, url: string): readonly MemberEdit[] {
  // Zed used to keep the whole command in one object.
  const isNested = isObjectNode(memberOf(entry, 'command'));
  const inner = isNested ? ['command'] : [];
  const all: MemberEdit[] = [
    [isNested && change.command !== null ? ['command', 'path'] : ['command'], plainText(change.command)],
    [[...inner, 'args'], change.args?.map((text) => plainText(text)) ?? change.args],
    [[...inner, 'env'], plainTexts(change.env)],
    [['envFile'], plainText(change.envFile)],
    [['cwd'], plainText(change.cwd)],
    [[url], plainText(change.url)],
    [['headers'], plainTexts(change.headers)],
    // Some applications write that a server is disabled, others that it is enabled.
    memberOf(entry, 'enabled') === undefined
      ? [['disabled'], change.disabled === false ? null : change.disabled]
      : [['enabled'], change.disabled === undefined ? undefined : !change.disabled],
  ];
  return all.filter(([, value]) => value !== undefined);
}

function newEntry(change: ConfigChange, { url, typed }: { url: string; typed: boolean }): JsonObject {
  const members = memberEdits(change, undefined, url).filter(([, value]) => value !== null);
  const hasUrl = change.url !== undefined && change.url !== null;
  const type = hasUrl && typed && url === 'url' ? { type: 'http' } : {};
  return { ...type, ...Object.fromEntries(members.map(([[name = ''], value]) => [name, value])) };
}

/** How these entries spell an address, if one of them has any. */
function findUrlField(entries: readonly (JsoncNode | undefined)[]): string | undefined {
  const known = ['url', 'serverUrl', 'httpUrl'];
  const spelled = entries.flatMap((node) => known.filter((one) => memberOf(node, one) !== undefined));
  return spelled[0];
}

function plainText<T extends null | undefined>(text: ConfigText | T): string | T {
  if (typeof text !== 'object' || text === null) return text;
  return 'secret' in text ? `\${secret:${text.secret}}` : text.template;
}

const plainTexts = (texts: Readonly<Record<string, ConfigText>> | null | undefined): unknown =>
  texts && Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, plainText(text)]));
