/** Edits one server in the text of a configuration file, and verifies that nothing else changed. */
import { McpError } from '../../errors.ts';
import { JsoncFault, type JsoncNode, lineOf } from '../../files/jsonc.ts';
import { isObjectNode, nodeAt, plainValue } from '../../files/jsonc-tree.ts';
import { dialectOf } from './applications.ts';
import type { ConfigFormat } from './config-format.ts';
import { entryNamed, findServerLists } from './shapes.ts';
import { isEqualValue, withMember } from './text-edit.ts';
import { type ConfigChange, type MemberEdit, memberEdits, newEntry } from './write-entry.ts';

export interface ServerEdit {
  readonly file: string;
  readonly name: string;
  readonly change: ConfigChange | 'remove';
  readonly format: ConfigFormat;
}

/** Returns the edited text. `before` is undefined if the file does not exist. */
export function editServer(before: string | undefined, edit: ServerEdit): string {
  const { file, format } = edit;
  const text = before === undefined || before.trim() === '' ? (dialectOf(file).newFile ?? format.empty) : before;
  try {
    const after = changeServer(text, edit);
    if (after !== text) checkOthers(text, after, edit);
    return after;
  } catch (thrown) {
    if (!(thrown instanceof JsoncFault)) throw thrown;
    throw new McpError('MCP_BAD_CONFIG', { file, line: lineOf(text, thrown.offset), why: thrown.message });
  }
}

function changeServer(text: string, { file, name, change, format }: ServerEdit): string {
  const root = format.parse(text);
  if (!isObjectNode(root) && !(root.kind === 'value' && root.value === null))
    throw new JsoncFault(root.start, 'expected an object');
  const found = findServerLists(root, file);
  const list = found.find((one) => entryNamed(one, name) !== undefined) ?? found[0];
  const dialect = dialectOf(file);
  const { servers } = list?.shape ?? dialect;
  const path = [...servers, name];
  const there = nodeAt(root, servers);
  const expected = `expected an object at "${servers.join('.')}" and found a list; correct it by hand first`;
  if (there?.kind === 'array' && dialect.isList !== true) throw new JsoncFault(there.start, expected);
  if (change === 'remove') return format.removeAt(text, path);
  const entry = list && entryNamed(list, name);
  const context = { name, dialect, entry, others: list?.entries.map(({ value }) => value) ?? [] };
  if (isObjectNode(entry)) return applyEdits(text, path, memberEdits(change, context), format);
  const value = newEntry(change, context);
  // Creates the list together with its first item.
  const hasEntries = isObjectNode(there) || (there?.kind === 'array' && there.items.length > 0);
  if (dialect.isList === true && !hasEntries) return format.setAt(text, servers, [value]);
  return format.setAt(text, path, value);
}

function applyEdits(text: string, path: readonly string[], edits: readonly MemberEdit[], format: ConfigFormat): string {
  return edits.reduce((now, [keys, value]) => {
    const at = [...path, ...keys];
    return value === null ? format.removeAt(now, at) : format.setAt(now, at, value);
  }, text);
}

/** Throws if the edit also changed something else, for example through a YAML anchor. The file is then not written. */
function checkOthers(before: string, after: string, { file, name, change, format }: ServerEdit): void {
  const [old, now] = [format.parse(before), format.parse(after)];
  const isThere = findServerLists(now, file).some((list) => entryNamed(list, name) !== undefined);
  if (isThere === (change === 'remove') || !isEqualValue(othersIn(old, file, name), othersIn(now, file, name)))
    throw new JsoncFault(0, `"${name}" cannot be changed without changing more than that; change the file by hand`);
}

/** The content of the file without this server. */
function othersIn(root: JsoncNode, file: string, name: string): unknown {
  const lists = findServerLists(root, file);
  const rest = lists.reduce<unknown>(
    (all, { shape }) => withMember(all, shape.servers, undefined),
    plainValue(root) ?? {},
  );
  const others = lists.flatMap(({ entries }) => entries.filter(({ key }) => key !== name));
  return [
    withMember(rest, dialectOf(file).servers, undefined),
    others.map(({ key, value }) => [key, plainValue(value)]),
  ];
}
