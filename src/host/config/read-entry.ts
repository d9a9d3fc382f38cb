/** Reads one entry of a configuration file, in any dialect, as a server of a host. */

import type { JsoncNode } from '../../files/jsonc.ts';
import { isObjectNode, memberOf } from '../../files/jsonc-tree.ts';
import type { CommandSource, ConfigInput, ConfigOrigin, ConfigText, UrlSource } from './source.ts';
import { inputsIn, templateFault } from './template.ts';

/** Called with the node and what was expected there. */
export type ReportFault = (node: JsoncNode, why: string) => void;

export interface ServerEntry {
  readonly name: string;
  readonly node: JsoncNode;
  readonly from: ConfigOrigin;
  readonly fault: ReportFault;
}

const urlNames = ['url', 'serverUrl', 'httpUrl'] as const;
const remoteTypes = /^(?:http|sse|streamable[-_]?http)$/i;

/** Undefined for an entry with a fault, which has been reported. */
export function readEntry(entry: ServerEntry): CommandSource | UrlSource | undefined {
  const { node } = entry;
  if (!isObjectNode(node)) return reportFault(entry, node, `the server ${quoteName(entry)} must be an object`);
  const type = memberOf(node, 'type') ?? memberOf(node, 'transport') ?? memberOf(node, 'transportType');
  const remote = type?.kind === 'value' && remoteTypes.test(String(type.value));
  if (type !== undefined && !remote && !(type.kind === 'value' && type.value === 'stdio'))
    return reportFault(entry, type, `the type of a server must be "stdio", "http" or "sse"`);
  const url = urlNames.map((name) => memberOf(node, name)).find((one) => one !== undefined);
  const command = memberOf(node, 'command');
  const wanted = remote || (type === undefined && command === undefined) ? url : command;
  if (wanted === undefined)
    return reportFault(entry, node, expected(entry, type === undefined ? 'any' : remote ? 'url' : 'command'));
  if (type === undefined && url !== undefined && command !== undefined)
    return reportFault(entry, node, `the server ${quoteName(entry)} has a command and a URL; say which by "type"`);
  return wanted === url ? urlSource(entry, wanted) : commandSource(entry, wanted);
}

/** Some applications write `disabled`, others `enabled`. */
export function isDisabled({ node }: Pick<ServerEntry, 'node'>): boolean {
  const disabled = memberOf(node, 'disabled');
  const enabled = memberOf(node, 'enabled');
  return (
    (disabled?.kind === 'value' && disabled.value === true) || (enabled?.kind === 'value' && enabled.value === false)
  );
}

/** Comes with an extension of the editor, which knows how to start it. */
export function isExtension({ node }: Pick<ServerEntry, 'node'>): boolean {
  const source = memberOf(node, 'source');
  return source?.kind === 'value' && source.value === 'extension';
}

function urlSource(entry: ServerEntry, node: JsoncNode): UrlSource | undefined {
  const url = readText(entry, node);
  const headers = readTexts(entry, memberOf(entry.node, 'headers'), 'headers');
  if (url === undefined || headers === 'wrong') return undefined;
  if (typeof url === 'string' && !/^https?:\/\//i.test(url))
    return reportFault(entry, node, 'a URL must begin with http:// or https://');
  return { url, ...(headers === undefined ? {} : { headers }), from: entry.from };
}

function commandSource(entry: ServerEntry, node: JsoncNode): CommandSource | undefined {
  // Zed used to keep all of it in one object.
  const inner = isObjectNode(node) ? node : entry.node;
  const path = isObjectNode(node) ? memberOf(node, 'path') : node;
  if (path === undefined) return reportFault(entry, node, 'expected the "path" of a command');
  const command = expandTilde(readText(entry, path));
  const args = readList(entry, memberOf(inner, 'args'));
  const env = readTexts(entry, memberOf(inner, 'env'), 'env');
  const cwd = readOptional(entry, memberOf(entry.node, 'cwd'));
  const envFile = readOptional(entry, memberOf(entry.node, 'envFile'));
  if (command === undefined || args === 'wrong' || env === 'wrong' || cwd === 'wrong' || envFile === 'wrong')
    return undefined;
  return {
    command,
    ...(args === undefined ? {} : { args: args.map((arg) => expandTilde(arg) ?? arg) }),
    ...(env === undefined ? {} : { env }),
    ...(envFile === undefined ? {} : { envFile }),
    // Paths in a file are relative to its workspace folder.
    cwd: cwd ?? { template: `\${workspaceFolder}` },
    from: entry.from,
  };
}

function readList(entry: ServerEntry, node: JsoncNode | undefined): ConfigText[] | undefined | 'wrong' {
  if (node === undefined) return undefined;
  if (node.kind !== 'array') return reportFault(entry, node, '"args" must be a list of texts') ?? 'wrong';
  const items = node.items.map((item) => readText(entry, item));
  return items.every((item) => item !== undefined) ? items : 'wrong';
}

function readTexts(
  entry: ServerEntry,
  node: JsoncNode | undefined,
  what: string,
): Record<string, ConfigText> | undefined | 'wrong' {
  if (node === undefined || (node.kind === 'value' && node.value === null)) return undefined;
  if (!isObjectNode(node)) return reportFault(entry, node, `"${what}" must be an object of texts`) ?? 'wrong';
  const read: [string, ConfigText][] = [];
  for (const { key, value } of node.members) {
    // `null` means that the variable is not set.
    if (value.kind === 'value' && value.value === null) continue;
    const one = readText(entry, value);
    if (one === undefined) return 'wrong';
    read.push([key, one]);
  }
  return Object.fromEntries(read);
}

function readOptional(entry: ServerEntry, node: JsoncNode | undefined): ConfigText | undefined | 'wrong' {
  return node === undefined ? undefined : (expandTilde(readText(entry, node)) ?? 'wrong');
}

/** A text, a template, or the name of a secret. */
function readText(entry: ServerEntry, node: JsoncNode): ConfigText | undefined {
  const secret = memberOf(node, 'secret');
  if (secret?.kind === 'value' && typeof secret.value === 'string') return { secret: secret.value };
  if (node.kind !== 'value' || node.value === null)
    return reportFault(entry, node, 'expected a text, or { "secret": "name" }');
  const value = String(node.value);
  if (!value.includes(`\${`)) return value;
  const fault = templateFault(value) ?? unknownInput(value, entry.from.inputs);
  return fault === undefined ? { template: value } : reportFault(entry, node, fault);
}

function unknownInput(template: string, inputs: readonly ConfigInput[]): string | undefined {
  const id = inputsIn(template).find((one) => !inputs.some((input) => input.id === one));
  return id === undefined ? undefined : `nothing is known of the input "${id}"; describe it under "inputs"`;
}

/** `~` is the home folder, as in a shell; no shell runs the command. */
function expandTilde(given: ConfigText | undefined): ConfigText | undefined {
  if (typeof given !== 'string' || !/^~(?:$|[/\\])/.test(given)) return given;
  return { template: `\${userHome}${given.slice(1)}` };
}

function reportFault({ fault }: ServerEntry, node: JsoncNode, why: string): undefined {
  fault(node, why);
}

function expected(entry: ServerEntry, what: 'any' | 'url' | 'command'): string {
  const member = what === 'any' ? 'a "command" or a "url"' : `a "${what}"`;
  return `expected ${member} for the server ${quoteName(entry)}`;
}

const quoteName = ({ name }: ServerEntry): string => JSON.stringify(name);
