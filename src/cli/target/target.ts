/** Resolves the target of a command line: a URL, a command, a module, or a configured server. */
import { existsSync, statSync } from 'node:fs';
import { type CommandSource, type ConfigReport, listsServers, readConfig, type UrlSource } from '../../host/index.ts';
import { printable } from '../../model/printable.ts';
import { nearestNames } from '../../model/suggest.ts';
import { badArgument, rejectExtra } from '../arguments.ts';
import { nameFor } from '../install/name.ts';
import { pathFrom } from '../paths.ts';
import { configPlaces } from '../servers/known-applications.ts';
import type { TargetContext, TargetInput } from './options.ts';

/** `source.from` is set for servers of configuration files, which need consent to start. */
export interface CommandTarget {
  /** Shown in messages: a name, a URL or a command. */
  readonly label: string;
  /** Short name, for labels. */
  readonly name: string;
  readonly source: CommandSource | UrlSource;
  /** The file, if the target is a module. */
  readonly module?: string;
}

type TargetArguments = Omit<TargetInput, 'print'>;
type TargetValues = Pick<TargetInput, 'values' | 'shell'>;

/** The target, and the remaining words for the command. Throws `MCP_BAD_ARGUMENT` or `MCP_BAD_CONFIG`. Does not connect. */
export async function targetIn(
  input: TargetArguments,
): Promise<{ readonly target: CommandTarget; readonly words: readonly string[] }> {
  const { after, words } = input;
  if (after !== undefined) return { target: commandTarget(after, input), words };
  const [word, ...rest] = words;
  if (word === undefined)
    throw badArgument('<target>', 'expected a URL, a module, the name of a configured server, or a command after --');
  const target = await targetOf(word, input);
  rejectUnused([target], input);
  return { target, words: rest };
}

/** All typed targets; the command after `--` is last. */
export async function typedTargets(input: TargetArguments): Promise<readonly CommandTarget[]> {
  const named = await Promise.all(input.words.map((word) => targetOf(word, input)));
  const targets = input.after === undefined ? named : [...named, commandTarget(input.after, input)];
  rejectUnused(targets, input);
  return targets;
}

/** Rejects options that no target has a use for, which would be ignored. */
function rejectUnused(targets: readonly CommandTarget[], { values }: TargetValues): void {
  const typed = targets.filter(({ source }) => source.from === undefined);
  const hasUrl = typed.some(({ source }) => 'url' in source);
  const hasCommand = typed.some(({ source }) => 'command' in source);
  const from = targets.find(({ source }) => source.from !== undefined)?.source.from;
  const unless = from === undefined ? '' : `; ${from.name} is configured in ${from.file}, line ${from.line}`;
  if (values.header !== undefined && !hasUrl)
    throw badArgument('--header', `HTTP headers are for a URL that you type${unless}`);
  if (values.env !== undefined && !hasCommand)
    throw badArgument('--env', `environment variables are for a command or module that you type${unless}`);
  if (values.cwd !== undefined && !hasCommand)
    throw badArgument('--cwd', `a folder is for a command or module that you type${unless}`);
}

/** For commands whose only argument is a target. */
export async function onlyTarget(input: TargetArguments): Promise<CommandTarget> {
  const { target, words } = await targetIn(input);
  rejectExtra(words);
  return target;
}

export async function targetOf(word: string, input: TargetValues): Promise<CommandTarget> {
  if (input.values.export !== undefined && (isAddress(word) || !isPath(word)))
    throw badArgument('--export', 'this option is for modules only');
  if (isAddress(word)) return { label: word, name: nameFor([word]), source: addressSource(word, input) };
  if (isPath(word)) return moduleTarget(word, input);
  return namedTarget(word, input);
}

/** Servers of the `--config` files; otherwise of all known configuration files, with the user's own before the project's. */
export async function configuredServers({ values, shell }: TargetValues): Promise<ConfigReport> {
  const named = values.config?.map((file) => pathFrom(shell, file));
  const places = configPlaces(shell).toSorted((a, b) => Number(a.scope === 'project') - Number(b.scope === 'project'));
  if (named !== undefined) return readConfig(...named);
  // Some applications share a file.
  const files = [...new Set(places.map(({ file }) => file))];
  const listing = await Promise.all(files.map(listsServers));
  return readConfig(...files.filter((_, at) => listing[at] === true));
}

/** All configured servers. An error in a `--config` file is fatal; in files of other applications, a warning. */
export async function configuredTargets(input: TargetContext): Promise<readonly CommandTarget[]> {
  const { servers, faults } = await configuredServers(input);
  const [fault] = faults;
  if (fault !== undefined && input.values.config !== undefined) throw fault;
  for (const { message } of faults) input.print.note(input.print.style('yellow', printable(message), 'stderr'));
  return Object.entries(servers).map(([label, source]) => ({ label, name: label, source }));
}

function commandTarget([command, ...args]: readonly string[], input: TargetValues): CommandTarget {
  if (command === undefined) throw badArgument('--', 'expected a command after it, such as `-- node server.js`');
  if (input.values.header !== undefined)
    throw badArgument('--header', 'HTTP headers are for URLs; for a command, use --env');
  return {
    label: [command, ...args].join(' '),
    name: nameFor([command, ...args]),
    source: { command, args, ...envAndCwd(input) },
  };
}

function addressSource(address: string, { values }: TargetValues): UrlSource {
  if (!URL.canParse(address)) throw badArgument(address, 'not a valid URL');
  if (values.env !== undefined)
    throw badArgument('--env', 'environment variables are for commands; for a URL, use --header');
  const headers = values.header?.map((header): [string, string] => {
    const [, name, value] = /^([^:\s]+)\s*:\s*(.*)$/s.exec(header) ?? [];
    if (name === undefined || value === undefined)
      throw badArgument(malformed('--header', header), 'expected "name: value"');
    return [name, value];
  });
  return headers === undefined ? { url: address } : { url: address, headers: Object.fromEntries(headers) };
}

/** The option with the name that precedes a missing separator. The rest of the pair, or a pair that is no name, can be a secret. */
const malformed = (option: string, pair: string): string =>
  `${option} ${/^[a-z_][\w-]{0,31}(?=\s)|^[A-Z][A-Z_]{0,31}$/i.exec(pair)?.[0] ?? '…'}`;

const isAddress = (word: string): boolean => /^https?:\/\//i.test(word);
/** Guesses the URL for `host:port` or `host/path` with a missing or wrong scheme: https for names with dots, otherwise http. */
function guessUrl(word: string): string | undefined {
  const [, host, port = '', path = ''] = /^(?:[a-z]+:\/+)?(\w[\w.-]*|\[[\d:a-f]+\])(:\d+)?(\/\S*)?$/i.exec(word) ?? [];
  if (host === undefined || (port === '' && path === '')) return undefined;
  const scheme = port === '' && /[a-z]\.[a-z]/i.test(host) ? 'https' : 'http';
  return `${scheme}://${host}${port}${path === '' || path === '/' ? '/mcp' : path}`;
}

const isPath = (word: string): boolean => /^(?:\.{0,2}[/\\]|~[/\\]|[a-z]:[/\\])|\.[cm]?[jt]sx?$/i.test(word);

/** A quoted target with several words was probably meant as a command. */
const commandHint = (word: string): string =>
  /\S\s+\S/.test(word) ? `; a command comes last, after --: -- ${word}` : '';

/** A module is served by a child process (`mooring run`), so that its side effects are isolated. */
function moduleTarget(path: string, input: TargetValues): CommandTarget {
  const { shell, values } = input;
  const file = pathFrom(shell, path);
  if (!existsSync(file)) throw badArgument(path, `file not found (${file})${commandHint(path)}`);
  if (!statSync(file).isFile()) throw badArgument(path, 'expected a module, not a folder, such as ./server.ts');
  const { command, args } = shell.self;
  const chosen = values.export === undefined ? [] : ['--export', values.export];
  return {
    label: path,
    name: nameFor([path]),
    source: {
      command,
      args: [...args, 'run', file, ...chosen],
      // Portable form for display and the lock file: the path of this executable differs between machines.
      shownAs: ['npx', 'mooring', 'run', file, ...chosen],
      ...envAndCwd(input),
    },
    module: file,
  };
}

/** --env and --cwd. */
function envAndCwd({ values, shell }: TargetValues): Pick<CommandSource, 'env' | 'cwd'> {
  const env = values.env?.map((pair): [string, string] => {
    const [, name, value] = /^([^=]+)=(.*)$/s.exec(pair) ?? [];
    if (name === undefined || value === undefined) throw badArgument(malformed('--env', pair), 'expected NAME=value');
    return [name, value];
  });
  const cwd = pathFrom(shell, values.cwd ?? '.');
  return env === undefined ? { cwd } : { cwd, env: Object.fromEntries(env) };
}

async function namedTarget(name: string, input: TargetValues): Promise<CommandTarget> {
  const { servers, faults } = await configuredServers(input);
  const known = Object.entries(servers);
  const found =
    known.find(([label]) => label === name) ??
    known.find(([label]) => label === name.toLowerCase()) ??
    known.find(([, { from }]) => from?.name === name);
  if (found !== undefined) return { label: name, name: found[0], source: found[1] };
  // The invalid entry of a file can be the one that was named.
  const [fault] = faults;
  if (fault !== undefined) throw fault;
  const all = known.map(([label]) => label);
  const labels = all.join(', ');
  const [near] = [guessUrl(name), ...nearestNames(name, all)].filter((one) => one !== undefined);
  const meant = near === undefined ? '' : `; did you mean ${near}?`;
  throw badArgument(
    name,
    `not a URL, file or configured server (configured: ${labels === '' ? 'none' : labels})${meant}${commandHint(name)}`,
  );
}
