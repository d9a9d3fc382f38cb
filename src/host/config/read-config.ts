/** Reads servers from the configuration files of all supported applications. */
import type { Buffer } from 'node:buffer';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import process from 'node:process';
import { McpError } from '../../errors.ts';
import { expandHome } from '../../files/expand-home.ts';
import { FileFault } from '../../files/file-fault.ts';
import { JsoncFault, type JsoncNode, lineFinder, lineOf } from '../../files/jsonc.ts';
import { isObjectNode, memberOf, nodeAt, valueIn } from '../../files/jsonc-tree.ts';
import { readFileBytes } from '../../files/read-file.ts';
import { canonicalJson } from '../../model/canonical.ts';
import { checkText } from '../../model/check-argument.ts';
import { networkReason } from '../../model/printable.ts';
import { Warnings } from '../../peer/warnings.ts';
import { projectOf } from './config-places.ts';
import { formatOf } from './format-of.ts';
import { labelFor } from './labels.ts';
import { isBuiltIn, isDisabled, readEntry, type ServerEntry } from './read-entry.ts';
import { findServerLists, shapeNames } from './shapes.ts';
import type { CommandSource, ConfigInput, ConfigOrigin, UrlSource } from './source.ts';

/** Maximum size of a file. */
const MAX_BYTES: number = 4 * 1024 * 1024;
/** Bounds the work for a file of a downloaded project. */
const MAX_SERVERS = 1_000;

/** The servers in some files, and the faults of these files. */
export interface ConfigReport {
  /** By label. If two files use one label, the user's own file keeps it, else the first file. The other server gets a new label. */
  readonly servers: Readonly<Record<string, CommandSource | UrlSource>>;
  /** Skipped entries: disabled, or built into their application. */
  readonly left: readonly Pick<ConfigOrigin, 'file' | 'line' | 'name'>[];
  /** Entries that repeat the definition of another file; both share a label. */
  readonly repeated: readonly (Pick<ConfigOrigin, 'file' | 'line'> & { readonly label: string })[];
  /** Explains labels that differ from the name in the file. */
  readonly notes: readonly string[];
  /** Each `MCP_BAD_CONFIG` has the file, the line and what was expected. */
  readonly faults: readonly McpError<'MCP_BAD_CONFIG'>[];
}

/** Reads the servers in these files. Throws on any fault; `readConfig` reports faults instead. */
export async function fromConfig(...paths: readonly string[]): Promise<ConfigReport['servers']> {
  const { servers, faults, notes } = await readConfig(...paths);
  const [first, ...more] = faults;
  if (first !== undefined) {
    const { file, line, why } = first.details;
    const others = more.map(({ message }) => `\n${message}`).join('');
    throw new McpError('MCP_BAD_CONFIG', { file, line, why: `${why}${others}` });
  }
  const warnings = new Warnings(undefined);
  for (const note of notes) warnings.warn(note);
  return servers;
}

/** Reads the valid servers in these files, and reports all faults. */
export async function readConfig(...paths: readonly string[]): Promise<ConfigReport> {
  for (const path of paths) checkText(path, 'fromConfig(…paths), readConfig(…paths)', 'the path of a file');
  const collected = new ConfigCollector();
  // Rules and approvals match labels, so a downloaded project must not take over a label of the user's own files.
  const files = paths.map(resolveConfig).toSorted((a, b) => Number(isOfProject(a)) - Number(isOfProject(b)));
  for (const file of files) await readFileInto(collected, file);
  return collected.report();
}

export const resolveConfig = (path: string): string => resolve(expandHome(path, homedir()));

/** Reads a file; undefined if it does not exist. Throws `FileFault`. */
export const configBytes = (file: string): Promise<Buffer | undefined> => readFileBytes(file, { maxBytes: MAX_BYTES });

/** Whether a file lists servers; editor settings may have none. True for an unreadable file, which may list some. */
export async function listsServers(path: string): Promise<boolean> {
  try {
    const text = (await configBytes(resolveConfig(path)))?.toString('utf8') ?? '';
    if (text.trim() === '') return false;
    const root = (await formatOf(path)).parse(text);
    return !isObjectNode(root) || findServerLists(root, path).length > 0;
  } catch {
    return true;
  }
}

async function readFileInto(collected: ConfigCollector, file: string): Promise<void> {
  let text = '';
  try {
    const bytes = await configBytes(file);
    if (bytes === undefined) return collected.fault(file, 1, 'the file does not exist');
    text = bytes.toString('utf8');
    readServers(collected, file, text, (await formatOf(file)).parse(text));
  } catch (thrown) {
    if (thrown instanceof JsoncFault) return collected.fault(file, lineOf(text, thrown.offset), thrown.message);
    const why = thrown instanceof FileFault ? thrown.why : networkReason(thrown);
    collected.fault(file, 1, `it cannot be read: ${why}`);
  }
}

function readServers(collected: ConfigCollector, file: string, text: string, root: JsoncNode): void {
  const found = findServerLists(root, file);
  if (found.length === 0) collected.fault(file, 1, `expected an object with one of ${shapeNames}`);
  const lineAt = lineFinder(text);
  const total = found.reduce((sum, { entries }) => sum + entries.length, 0);
  if (total > MAX_SERVERS) {
    collected.fault(file, 1, `there are ${total} servers, more than ${MAX_SERVERS}`);
    return;
  }
  for (const { shape, entries } of found) {
    const inputs = shape.inputs === undefined ? [] : readInputs(nodeAt(root, shape.inputs));
    for (const { key: name, value: node, start } of entries) {
      const from = { file, line: lineAt(start), name, workspaceFolder: workspaceOf(file), inputs };
      const fault = (at: JsoncNode, why: string): void => collected.fault(file, lineAt(at.start), why);
      collected.add({ name, node, from, fault });
    }
  }
}

class ConfigCollector {
  readonly #servers: Map<string, CommandSource | UrlSource> = new Map();
  readonly #left: Pick<ConfigOrigin, 'file' | 'line' | 'name'>[] = [];
  readonly #repeated: ConfigReport['repeated'][number][] = [];
  readonly #notes: string[] = [];
  readonly #faults: McpError<'MCP_BAD_CONFIG'>[] = [];

  fault(file: string, line: number, why: string): void {
    this.#faults.push(new McpError('MCP_BAD_CONFIG', { file, line, why }));
  }

  add(entry: ServerEntry): void {
    const { file, line, name } = entry.from;
    if (isObjectNode(entry.node) && (isDisabled(entry) || isBuiltIn(entry))) {
      this.#left.push({ file, line, name });
      return;
    }
    const source = readEntry(entry);
    if (source === undefined) return;
    const plainLabel = labelFor(name, new Set());
    const before = this.#servers.get(plainLabel);
    if (before !== undefined && isSameSource(before, source)) {
      this.#repeated.push({ label: plainLabel, file, line });
      return;
    }
    const label = labelFor(name, this.#servers);
    this.#servers.set(label, source);
    if (label !== name.toLowerCase()) this.#notes.push(renameNote(entry, label, before));
  }

  report(): ConfigReport {
    const servers = Object.fromEntries(this.#servers);
    return { servers, left: this.#left, repeated: this.#repeated, notes: this.#notes, faults: this.#faults };
  }
}

/** Explains a changed label. The earlier server keeps its label, because rules may refer to it. */
function renameNote({ from, name }: ServerEntry, label: string, before: CommandSource | UrlSource | undefined): string {
  const what = `The server ${JSON.stringify(name)} of ${from.file}, line ${from.line}, is called "${label}" here`;
  if (before?.from === undefined) return `${what}: a label has 1 to 64 of the characters a-z 0-9 - _`;
  return `${what}: ${before.from.file}, line ${before.from.line}, has another server with this label`;
}

/** Whether two entries define the same server, apart from their position. */
export function isSameSource(a: CommandSource | UrlSource, b: CommandSource | UrlSource): boolean {
  const definition = ({ from: _, ...rest }: CommandSource | UrlSource): string => canonicalJson(rest);
  return definition(a) === definition(b) && a.from?.workspaceFolder === b.from?.workspaceFolder;
}

/** The project root; for a file of the user, the working directory. */
const workspaceOf = (file: string): string => projectOf(file) ?? process.cwd();

const isOfProject = (file: string): boolean => projectOf(file) !== undefined;

/** Reads the input descriptions. Skips inputs without an id, because no placeholder can reference them. */
function readInputs(node: JsoncNode | undefined): readonly ConfigInput[] {
  if (node?.kind !== 'array') return [];
  return node.items.flatMap((item) => {
    const id = textIn(item, 'id');
    if (id === undefined) return [];
    const description = textIn(item, 'description');
    const password = valueIn(memberOf(item, 'password')) === true;
    return [{ id, description, password, default: textIn(item, 'default'), options: readOptions(item) }];
  });
}

/** An option is a string, or an object with a label and a value. */
function readOptions(input: JsoncNode): readonly string[] | undefined {
  const options = memberOf(input, 'options');
  if (options?.kind !== 'array') return undefined;
  return options.items.flatMap((item) => {
    const value = valueIn(item) ?? textIn(item, 'value');
    return value === undefined ? [] : [String(value)];
  });
}

function textIn(node: JsoncNode, key: string): string | undefined {
  const value = valueIn(memberOf(node, key));
  return typeof value === 'string' ? value : undefined;
}
