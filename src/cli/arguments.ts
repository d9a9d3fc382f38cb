/** Reads a command line by the options of a command. */
import { parseArgs } from 'node:util';
import { McpError } from '../errors.ts';
import { nearestNames } from '../model/suggest.ts';
import { type CliCommand, flag, type Option, type Options, type ParsedArguments } from './command.ts';

/** Every command has these. */
export const everywhere = {
  json: flag('Print JSON'),
  help: flag('Show this help', 'h'),
} as const satisfies Options;

export function badArgument(argument: string, why: string): McpError<'MCP_BAD_ARGUMENT'> {
  return new McpError('MCP_BAD_ARGUMENT', { argument, why });
}

/** Why a command cannot listen, as a mistake in the argument that says where. Other errors stay as they are. */
export function listenFault(thrown: unknown, argument: string, fix: string): unknown {
  const { code, address, port } = Object(thrown) as Readonly<Record<string, unknown>>;
  if (code === 'EADDRINUSE') return badArgument(argument, `another process listens on ${address}:${port}; ${fix}`);
  if (code === 'EACCES') return badArgument(argument, `port ${port} needs the rights of an administrator; ${fix}`);
  return code === 'EADDRNOTAVAIL' ? badArgument(argument, `this machine has no address ${address}; ${fix}`) : thrown;
}

/** Throws for a word that the command has no use for. */
export function rejectExtra([extra]: readonly string[]): void {
  if (extra !== undefined) throw badArgument(extra, 'this was not expected here; see --help');
}

type CommandWords = Pick<ParsedArguments, 'words' | 'after'>;

/** For a command that takes no words. */
export const rejectWords = ({ words, after = [] }: CommandWords): void => rejectExtra([...words, ...after]);

/** The only word of a command. `place` is what the help calls it. */
export function onlyWord(
  { words: [word, ...extra], after = [] }: CommandWords,
  place: string,
  expected: string,
): string {
  if (word === undefined) throw badArgument(place, `expected ${expected}`);
  rejectExtra([...extra, ...after]);
  return word;
}

/** Throws `MCP_BAD_ARGUMENT` for what is no port. `option` is named in the error. */
export function portIn(text: string, option: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw badArgument(`${option} ${text}`, 'expected a port from 1 to 65535, or 0 for a free one');
}

/** `argv` without the name of the command. Throws `MCP_BAD_ARGUMENT`. */
export function readArguments<O extends Options>(
  argv: readonly string[],
  { options, usage }: Pick<CliCommand<O>, 'options' | 'usage'>,
): ParsedArguments<O & typeof everywhere> {
  const { own, after } = splitAtDashes(argv);
  try {
    const { values, positionals } = parseArgs({
      args: own.flatMap((word, at) => spelledOut([own[at - 1], word, own[at + 1]], options)),
      options: parserOptions({ ...options, ...everywhere }),
      allowPositionals: true,
    });
    // The parser has held the values against the same options.
    return { values: values as ParsedArguments<O & typeof everywhere>['values'], words: positionals, after };
  } catch (error) {
    throw refusal(error, { ...options, ...everywhere }, usage.join().includes('key=value'));
  }
}

/** Options belong to us as far as `--`, and to the server's command from there. */
export function splitAtDashes(argv: readonly string[]): {
  readonly own: readonly string[];
  readonly after: readonly string[] | undefined;
} {
  const at = argv.indexOf('--');
  return at === -1 ? { own: argv, after: undefined } : { own: argv.slice(0, at), after: argv.slice(at + 1) };
}

/** The parser wants every value: one that may be left out is written to its option, or as an empty one. */
function spelledOut(
  [before = '', word, next = '']: readonly [string | undefined, string, string | undefined],
  options: Options,
): readonly string[] {
  const mayFollow = (option: string): RegExp | undefined =>
    option.startsWith('--') ? options[option.slice(2)]?.optional : undefined;
  if (mayFollow(before)?.test(word) === true) return [];
  const own = mayFollow(word);
  if (own === undefined) return [word];
  return [own.test(next) ? `${word}=${next}` : `${word}=`];
}

function parserOptions(
  options: Options,
): Record<string, { type: 'boolean' | 'string'; short?: string; multiple?: boolean }> {
  return Object.fromEntries(
    Object.entries(options).map(([name, { type, short, multiple }]) => [
      name,
      { type, ...(short === undefined ? {} : { short }), ...(multiple === undefined ? {} : { multiple }) },
    ]),
  );
}

/** In our own words: the parser's advise on quoting, which rarely is what went wrong. */
function refusal(error: unknown, options: Options, takesPairs: boolean): McpError {
  // '--out', or '-y, --yes' for one with a short form.
  const [, name = 'An option'] = /'(?:-\w, )?(-[^'\s,]*)/.exec(error instanceof Error ? error.message : '') ?? [];
  const known = options[name.replace(/^--?/, '')];
  if (known !== undefined) return badArgument(name, wrongUse(known));
  const names = Object.keys(options).map((one) => `--${one}`);
  // `--port` where the port is the value of `--http`.
  const taking = Object.entries(options).flatMap(([one, { value }]) =>
    `--${value}` === name ? [`--${one} <${value}>`] : [],
  );
  const meant = taking.length > 0 ? taking : nearestNames(name, names);
  const others = takesPairs
    ? `arguments are written as ${name.replace(/^-+/, '')}=value, or as one JSON object`
    : `available: ${names.join(', ')}`;
  const advice = meant.length > 0 ? `did you mean ${meant.join(' or ')}?` : others;
  return badArgument(name, `there is no such option; ${advice}`);
}

const wrongUse = ({ type, value = 'value' }: Option): string =>
  type === 'boolean' ? 'this option takes no value' : `this option needs a value: <${value}>`;
