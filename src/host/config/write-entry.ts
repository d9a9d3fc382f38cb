/** Translates a change of a server to edits of its entry, in the dialect of the file. */
import type { JsoncNode } from '../../files/jsonc.ts';
import { isObjectNode, memberOf, plainValue } from '../../files/jsonc-tree.ts';
import { type ConfigDialect, codex } from './dialects.ts';
import { type ConfigText, writtenText } from './source.ts';
import { withMember } from './text-edit.ts';

/** Omitted members stay unchanged; `null` removes them. Secrets are written as references, never as values. */
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

/** The path of a member and its new value; `null` removes it. */
export type MemberEdit = readonly [path: readonly string[], value: unknown];

const spellings = {
  command: ['command', 'cmd'],
  env: ['env', 'environment', 'envs'],
  url: ['url', 'serverUrl', 'httpUrl', 'uri'],
  headers: ['headers', 'http_headers'],
} as const;

export interface EntryContext {
  readonly name: string;
  readonly dialect: ConfigDialect;
  /** Undefined for a new server. */
  readonly entry: JsoncNode | undefined;
  /** The other entries. A new entry uses their spelling of `url`. */
  readonly others: readonly JsoncNode[];
}

/** Creates the entry of a new server. */
export function newEntry(change: ConfigChange, context: EntryContext): unknown {
  const defaults: unknown = context.dialect.defaults?.(context.name) ?? {};
  return memberEdits(change, context)
    .filter(([, value]) => value !== null)
    .reduce((entry, [path, value]) => withMember(entry, path, value), defaults);
}

export function memberEdits(change: ConfigChange, { dialect, entry, others }: EntryContext): readonly MemberEdit[] {
  // Cline nests all members except `disabled` in "transport". Older Zed files nest the command in "command".
  const transport = memberOf(entry, 'transport');
  const [base, node] = isObjectNode(transport) ? [['transport'], transport] : [[], entry];
  const spelled = (kind: keyof typeof spellings): string[] => {
    const known = [node, ...(kind === 'url' ? others : [])].flatMap((one) =>
      spellings[kind].filter((name) => memberOf(one, name) !== undefined),
    );
    return [...base, ...(known[0] ?? dialect.names?.[kind] ?? kind).split('.')];
  };
  const isNested = isObjectNode(memberOf(node, 'command'));
  const [command, url] = [spelled('command'), spelled('url')];
  const args = change.args?.map((text) => plainText(text)) ?? change.args;
  const all: MemberEdit[] = [
    [[...base, 'type'], typeEdit(change, dialect, node, url.at(-1))],
    [url, plainText(change.url)],
    ...(dialect.argsInCommand === true
      ? [[command, joinedCommand(change, memberOf(node, 'command'))] as const]
      : [
          [isNested && change.command !== null ? [...command, 'path'] : command, plainText(change.command)] as const,
          [[...(isNested ? command : base), 'args'], args] as const,
        ]),
    ...(dialect === codex
      ? codexVariables(change)
      : [
          [isNested ? [...command, 'env'] : spelled('env'), plainTexts(change.env)] as const,
          [spelled('headers'), plainTexts(change.headers)] as const,
        ]),
    [[...base, 'envFile'], plainText(change.envFile)],
    [[...base, 'cwd'], plainText(change.cwd)],
    switchEdit(change, dialect, entry),
  ];
  return all.filter(([, value]) => value !== undefined);
}

/** The new `type`: if the dialect uses types, or if the entry has one that would contradict the change. */
function typeEdit(
  { url, command }: ConfigChange,
  dialect: ConfigDialect,
  node: JsoncNode | undefined,
  urlName = '',
): string | undefined {
  const typed = memberOf(node, 'type') !== undefined;
  // An entry without a type stays without. `serverUrl` and `httpUrl` imply the type.
  const had = (kind: 'url' | 'command'): boolean => spellings[kind].some((name) => memberOf(node, name) !== undefined);
  if (url !== undefined && url !== null)
    return typed || !(had('url') || /.+url$/i.test(urlName))
      ? (dialect.urlType ?? (typed ? 'http' : undefined))
      : undefined;
  if (command === undefined || command === null) return undefined;
  return typed || !had('command') ? (dialect.commandType ?? (typed ? 'stdio' : undefined)) : undefined;
}

function joinedCommand({ command, args }: ConfigChange, before: JsoncNode | undefined): unknown {
  if (command === null || (command === undefined && args === undefined)) return command;
  const there = before === undefined ? [] : plainValue(before);
  const [first, ...rest] = Array.isArray(there) ? (there as unknown[]) : [there];
  return [
    command === undefined ? first : plainText(command),
    ...(args === undefined ? rest : (args ?? []).map((text) => plainText(text))),
  ];
}

/** Enables or disables a server with `enabled` or `disabled`, depending on the application. */
function switchEdit({ disabled }: ConfigChange, dialect: ConfigDialect, entry: JsoncNode | undefined): MemberEdit {
  const usesEnabled = memberOf(entry, 'enabled') !== undefined || (dialect.usesEnabled === true && disabled === true);
  if (usesEnabled) return [['enabled'], disabled === undefined ? undefined : !disabled];
  return [['disabled'], disabled === false ? null : disabled];
}

/** Codex expands no references in values. Writes references to the members that take names of environment variables. */
function codexVariables({ env, headers }: ConfigChange): readonly MemberEdit[] {
  const variableIn = (text: ConfigText, pattern: RegExp): string | undefined =>
    pattern.exec(plainText(text) ?? '')?.[1];
  const reference = /^\$\{(?:env:)?(\w+)\}$/;
  const token =
    headers &&
    Object.entries(headers).find(
      ([name, text]) => /^authorization$/i.test(name) && variableIn(text, /^Bearer \$\{(?:env:)?(\w+)\}$/),
    );
  const forwarded = env && Object.entries(env).filter(([name, text]) => variableIn(text, reference) === name);
  const named = headers && Object.entries(headers).filter(([, text]) => variableIn(text, reference) !== undefined);
  const rest = (
    all: Readonly<Record<string, ConfigText>>,
    ...taken: readonly (readonly [string, unknown])[]
  ): Record<string, string> =>
    Object.fromEntries(Object.entries(plainRecord(all)).filter(([name]) => !taken.some(([one]) => one === name)));
  const orNone = <T extends object>(value: T): T | null => (Object.keys(value).length === 0 ? null : value);
  return [
    [['env'], env && orNone(rest(env, ...(forwarded ?? [])))],
    [['env_vars'], forwarded && orNone(forwarded.map(([name]) => name))],
    [['http_headers'], headers && orNone(rest(headers, ...(named ?? []), ...(token ? [token] : [])))],
    [
      ['env_http_headers'],
      named && orNone(Object.fromEntries(named.map(([name, text]) => [name, variableIn(text, reference)]))),
    ],
    [['bearer_token_env_var'], headers && (token ? variableIn(token[1], /\$\{(?:env:)?(\w+)\}$/) : null)],
  ];
}

const plainText = <T extends null | undefined>(text: ConfigText | T): string | T =>
  text === null || text === undefined ? text : writtenText(text);

const plainRecord = (texts: Readonly<Record<string, ConfigText>>): Record<string, string> =>
  Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, plainText<never>(text)]));

const plainTexts = (texts: Readonly<Record<string, ConfigText>> | null | undefined): unknown =>
  texts && plainRecord(texts);
