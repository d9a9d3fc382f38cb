/** Converts one server entry of a configuration file, in any dialect, to a server source. */
import { expandHome } from '../../files/expand-home.ts';
import type { JsoncNode } from '../../files/jsonc.ts';
import { isObjectNode, memberOf, plainValue, valueIn } from '../../files/jsonc-tree.ts';
import { defined } from '../../jsonrpc/message.ts';
import { dialectOf } from './applications.ts';
import { continueYaml, opencode } from './dialects.ts';
import type { CommandSource, ConfigInput, ConfigOrigin, ConfigText, UrlSource } from './source.ts';
import { placeholderNames, templateFault } from './template.ts';

/** Reports a fault at a node. */
export type ReportFault = (node: JsoncNode, why: string) => void;

export interface ServerEntry {
  readonly name: string;
  readonly node: JsoncNode;
  readonly from: ConfigOrigin;
  readonly fault: ReportFault;
}

const remoteTypes = /^(?:http|sse|remote|streamable[-_]?http)$/i;
const localTypes = /^(?:stdio|local)$/i;
/** Types of servers that are built into their application, such as Zed extensions and goose built-ins. */
const builtIn = /^(?:extension|builtin|platform|frontend|inline_python)$/;

/** Converts an entry. Reports faults to `entry.fault`, and then returns undefined. */
export function readEntry(entry: ServerEntry): CommandSource | UrlSource | undefined {
  // Cline nests all members except `disabled` in "transport".
  const inner = memberOf(entry.node, 'transport');
  const node = isObjectNode(inner) ? inner : entry.node;
  if (!isObjectNode(node)) return reportFault(entry, node, `the server ${quoteName(entry)} must be an object`);
  for (const name of ['disabled', 'enabled']) {
    const off = memberOf(entry.node, name);
    if (off !== undefined && typeof (plainValue(off) ?? false) !== 'boolean')
      return reportFault(entry, off, `"${name}" must be true or false`);
  }
  const type = firstOf(node, 'type', 'transport', 'transportType');
  const remote = remoteTypes.test(String(valueIn(type)));
  if (type !== undefined && !remote && !localTypes.test(String(valueIn(type))))
    return reportFault(entry, type, `the type of a server must be "stdio", "http" or "sse"`);
  const url = firstOf(node, 'url', 'serverUrl', 'httpUrl', 'uri');
  const command = firstOf(node, 'command', 'cmd');
  const wanted = remote || (type === undefined && command === undefined) ? url : command;
  if (wanted === undefined)
    return reportFault(entry, node, missingMember(entry, type === undefined ? 'any' : remote ? 'url' : 'command'));
  if (type === undefined && url !== undefined && command !== undefined)
    return reportFault(
      entry,
      node,
      `the server ${quoteName(entry)} has both a command and a URL; choose one with "type"`,
    );
  return wanted === url ? urlSource(entry, node, wanted) : commandSource(entry, node, wanted);
}

/** Finds a member by any of its names in the different dialects. */
const firstOf = (node: JsoncNode, ...names: readonly string[]): JsoncNode | undefined =>
  names.map((name) => memberOf(node, name)).find((one) => one !== undefined);

/** Whether an entry is disabled: `disabled: true` or `enabled: false`, depending on the application. */
export const isDisabled = ({ node }: Pick<ServerEntry, 'node'>): boolean =>
  valueIn(memberOf(node, 'disabled')) === true || valueIn(memberOf(node, 'enabled')) === false;

export const isBuiltIn = ({ node }: Pick<ServerEntry, 'node'>): boolean =>
  builtIn.test(String(valueIn(firstOf(node, 'source', 'type'))));

function urlSource(entry: ServerEntry, node: JsoncNode, at: JsoncNode): UrlSource | undefined {
  const url = readText(entry, at);
  const written = firstOf(node, 'headers', 'http_headers') ?? memberOf(memberOf(node, 'requestOptions'), 'headers');
  const headers = readTexts(entry, written, 'headers');
  if (url === undefined || headers === 'wrong') return undefined;
  if (typeof url === 'string' && !/^https?:\/\//i.test(url))
    return reportFault(entry, at, 'a URL must begin with http:// or https://');
  const all = { ...headers, ...variableHeaders(node) };
  return { url, ...(Object.keys(all).length === 0 && headers === undefined ? {} : { headers: all }), from: entry.from };
}

/** Reads the members of Codex that name environment variables for a token and headers. */
function variableHeaders(node: JsoncNode): Record<string, ConfigText> {
  const token = valueIn(memberOf(node, 'bearer_token_env_var'));
  const named = memberOf(node, 'env_http_headers');
  const headers = new Map<string, ConfigText>();
  for (const { key, value } of isObjectNode(named) ? named.members : [])
    headers.set(key, { template: `\${env:${String(valueIn(value))}}` });
  if (typeof token === 'string') headers.set('Authorization', { template: `Bearer \${env:${token}}` });
  return Object.fromEntries(headers);
}

function commandSource(entry: ServerEntry, node: JsoncNode, at: JsoncNode): CommandSource | undefined {
  // Older Zed files nest `{ path, args, env }` in "command"; opencode lists command and arguments in one array.
  const inner = isObjectNode(at) ? at : node;
  const words: readonly (JsoncNode | undefined)[] =
    at.kind === 'array' ? at.items : [isObjectNode(at) ? memberOf(at, 'path') : at];
  const [first] = words;
  const missing = isObjectNode(at) ? 'expected the "path" of a command' : 'expected a command in this list';
  if (first === undefined) return reportFault(entry, at, missing);
  const command = expandTilde(readText(entry, first));
  const args = at.kind === 'array' ? readItems(entry, at.items.slice(1)) : readList(entry, memberOf(inner, 'args'));
  const env = readTexts(entry, firstOf(inner, 'env', 'environment', 'envs'), 'env');
  const cwd = readOptional(entry, memberOf(node, 'cwd'));
  const envFile = readOptional(entry, memberOf(node, 'envFile'));
  if (command === undefined || args === 'wrong' || env === 'wrong' || cwd === 'wrong' || envFile === 'wrong')
    return undefined;
  return defined<CommandSource>({
    ...{ command, args: args?.map((arg) => expandTilde(arg) ?? arg), env, envFile, from: entry.from },
    // Relative paths in a configuration file refer to its workspace folder.
    cwd: cwd ?? { template: `\${workspaceFolder}` },
  });
}

function readList(entry: ServerEntry, node: JsoncNode | undefined): ConfigText[] | undefined | 'wrong' {
  if (node === undefined) return undefined;
  if (node.kind !== 'array') return reportFault(entry, node, '"args" must be a list of strings') ?? 'wrong';
  return readItems(entry, node.items);
}

function readItems(entry: ServerEntry, nodes: readonly JsoncNode[]): ConfigText[] | 'wrong' {
  const items = nodes.map((item) => readText(entry, item));
  return items.every((item) => item !== undefined) ? items : 'wrong';
}

function readTexts(
  entry: ServerEntry,
  node: JsoncNode | undefined,
  what: string,
): Record<string, ConfigText> | undefined | 'wrong' {
  if (node === undefined || valueIn(node) === null) return undefined;
  if (!isObjectNode(node)) return reportFault(entry, node, `"${what}" must be an object of strings`) ?? 'wrong';
  const read: [string, ConfigText][] = [];
  for (const { key, value } of node.members) {
    // `null` leaves the variable unset.
    if (valueIn(value) === null) continue;
    const one = readText(entry, value);
    if (one === undefined) return 'wrong';
    read.push([key, one]);
  }
  return Object.fromEntries(read);
}

const readOptional = (entry: ServerEntry, node: JsoncNode | undefined): ConfigText | undefined | 'wrong' =>
  node === undefined ? undefined : (expandTilde(readText(entry, node)) ?? 'wrong');

/** Reads a string, a template, or a reference to a secret. */
function readText(entry: ServerEntry, node: JsoncNode): ConfigText | undefined {
  const secret = valueIn(memberOf(node, 'secret'));
  if (typeof secret === 'string') return { secret };
  if (node.kind !== 'value' || node.value === null)
    return reportFault(entry, node, 'expected a text, or { "secret": "name" }');
  const value = commonReference(String(node.value), entry.from.file);
  if (!value.includes(`\${`)) return value;
  const fault = templateFault(value) ?? unknownInput(value, entry.from.inputs);
  return fault === undefined ? { template: value } : reportFault(entry, node, fault);
}

/** Converts the references of opencode (`{env:NAME}`) and Continue (`${{ secrets.NAME }}`) to the common syntax. */
function commonReference(text: string, file: string): string {
  const dialect = dialectOf(file);
  if (dialect === opencode) return text.replace(/\{env:(\w+)\}/g, `\${env:$1}`);
  return dialect === continueYaml
    ? text.replace(/\$\{\{\s*(?:secrets|inputs)\.([\w-]+)\s*\}\}/g, `\${secret:$1}`)
    : text;
}

function unknownInput(template: string, inputs: readonly ConfigInput[]): string | undefined {
  const id = placeholderNames(template, 'input').find((one) => !inputs.some((input) => input.id === one));
  return id === undefined ? undefined : `unknown input "${id}"; describe it under "inputs"`;
}

/** Replaces a leading `~` by a placeholder, because no shell expands it. */
function expandTilde(given: ConfigText | undefined): ConfigText | undefined {
  if (typeof given !== 'string') return given;
  const template = expandHome(given, `\${userHome}`);
  return template === given ? given : { template };
}

function reportFault({ fault }: ServerEntry, node: JsoncNode, why: string): undefined {
  fault(node, why);
}

function missingMember(entry: ServerEntry, what: 'any' | 'url' | 'command'): string {
  const member = what === 'any' ? 'a "command" or a "url"' : `a "${what}"`;
  return `expected ${member} for the server ${quoteName(entry)}`;
}

const quoteName = ({ name }: ServerEntry): string => JSON.stringify(name);
