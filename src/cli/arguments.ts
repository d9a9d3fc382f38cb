/** Parses the arguments of a command, and rejects what it does not accept. */
import { parseArgs } from 'node:util';
import { McpError } from '../errors.ts';
import { nearestNames } from '../model/suggest.ts';
import { type CliCommand, flag, type Option, type Options, type ParsedArguments } from './command.ts';

/** Options of every command. */
export const globalOptions = {
  json: flag('Print JSON'),
  help: flag('Show this help', 'h'),
} as const satisfies Options;

export function badArgument(argument: string, why: string): McpError<'MCP_BAD_ARGUMENT'> {
  return new McpError('MCP_BAD_ARGUMENT', { argument, why });
}

/** Turns a failed `listen` (EADDRINUSE, EACCES, EADDRNOTAVAIL) into `MCP_BAD_ARGUMENT` for `argument`. Returns other errors unchanged. */
export function listenFault(thrown: unknown, argument: string, fix: string): unknown {
  const { code, address, port } = Object(thrown) as Readonly<Record<string, unknown>>;
  if (code === 'EADDRINUSE') return badArgument(argument, `another process listens on ${address}:${port}; ${fix}`);
  if (code === 'EACCES') return badArgument(argument, `port ${port} requires administrator rights; ${fix}`);
  return code === 'EADDRNOTAVAIL' ? badArgument(argument, `this machine has no address ${address}; ${fix}`) : thrown;
}

/** Throws `MCP_BAD_ARGUMENT` for the first of these words: the command accepts no more. */
export function rejectExtra([extra]: readonly string[]): void {
  if (extra !== undefined) throw badArgument(extra, 'unexpected argument; see --help');
}

type CommandWords = Pick<ParsedArguments, 'words' | 'after'>;

/** For a command without positional arguments. */
export const rejectWords = ({ words, after = [] }: CommandWords): void => rejectExtra([...words, ...after]);

/** The single positional argument of a command. `place` is its placeholder in the usage line. */
export function onlyWord(
  { words: [word, ...extra], after = [] }: CommandWords,
  place: string,
  expected: string,
): string {
  if (word === undefined) throw badArgument(place, `expected ${expected}`);
  rejectExtra([...extra, ...after]);
  return word;
}

/** Throws `MCP_BAD_ARGUMENT`, naming `option`, unless `text` is a port. */
export function portIn(text: string, option: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw badArgument(`${option} ${text}`, 'expected a port from 1 to 65535, or 0 for a free one');
}

/** `argv` starts after the command name. Throws `MCP_BAD_ARGUMENT`. */
export function readArguments<O extends Options>(
  argv: readonly string[],
  { options, usage }: Pick<CliCommand<O>, 'options' | 'usage'>,
): ParsedArguments<O & typeof globalOptions> {
  const { own, after } = splitAtDashes(argv);
  try {
    const { values, positionals } = parseArgs({
      args: own.flatMap((word, at) => withInlineValue([own[at - 1], word, own[at + 1]], options)),
      options: parserOptions({ ...options, ...globalOptions }),
      allowPositionals: true,
    });
    // parseArgs checked the values against the same options.
    return { values: values as ParsedArguments<O & typeof globalOptions>['values'], words: positionals, after };
  } catch (error) {
    throw parseFault(error, { ...options, ...globalOptions }, usage.join().includes('key=value'));
  }
}

/** Splits at `--`: mooring's own arguments before it, the server's command line after it. */
export function splitAtDashes(argv: readonly string[]): {
  readonly own: readonly string[];
  readonly after: readonly string[] | undefined;
} {
  const at = argv.indexOf('--');
  return at === -1 ? { own: argv, after: undefined } : { own: argv.slice(0, at), after: argv.slice(at + 1) };
}

/** parseArgs has no optional values. Rewrites `--http 8080` to `--http=8080`, and a bare `--http` to `--http=`. */
function withInlineValue(
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

/** Replaces the error of parseArgs, whose message gives advice about quoting that rarely applies. */
function parseFault(error: unknown, options: Options, takesPairs: boolean): McpError {
  // parseArgs quotes '--out', or '-y, --yes' if there is a short form.
  const [, name = 'An option'] = /'(?:-\w, )?(-[^'\s,]*)/.exec(error instanceof Error ? error.message : '') ?? [];
  const bare = name.replace(/^--?/, '');
  const known = Object.hasOwn(options, bare) ? options[bare] : undefined;
  if (known !== undefined) return badArgument(name, wrongUse(known));
  const names = Object.keys(options).map((one) => `--${one}`);
  // `--port` is meant as `--http <port>`.
  const taking = Object.entries(options).flatMap(([one, { value }]) =>
    `--${value}` === name ? [`--${one} <${value}>`] : [],
  );
  const meant = taking.length > 0 ? taking : nearestNames(name, names);
  const others = takesPairs
    ? `arguments are written as ${bare}=value, or as one JSON object`
    : `available: ${names.join(', ')}`;
  const advice = meant.length > 0 ? `did you mean ${meant.join(' or ')}?` : others;
  return badArgument(name, `unknown option; ${advice}`);
}

const wrongUse = ({ type, value = 'value' }: Option): string =>
  type === 'boolean' ? 'this option takes no value' : `this option needs a value: <${value}>`;
