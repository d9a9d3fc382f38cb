/** From what was typed to how it ended. */
import { McpError } from '../errors.ts';
import { VERSION } from '../model/names.ts';
import { badArgument, readArguments, splitAtDashes } from './arguments.ts';
import type { CommandContext } from './command.ts';
import { commandIn, similarTo } from './commands.ts';
import { type ExitCode, exitCodeOf, exitCodes, Interrupted } from './exit-codes.ts';
import { helpOf, helpOfAll } from './help.ts';
import { Printer, sanitizeIndented } from './printer.ts';
import type { Shell } from './shell.ts';

/** `argv` begins with the name of the command. Never throws. */
export async function runCommandLine(argv: readonly string[], shell: Shell): Promise<ExitCode> {
  const print = new Printer(shell, { json: splitAtDashes(argv).own.includes('--json') });
  try {
    return (await dispatch(argv, { shell, print })) ?? exitCodes.done;
  } catch (error) {
    if (shell.signal.aborted || error instanceof Interrupted) return exitCodes.interrupted;
    const exit = exitCodeOf(error);
    print.data({ error: { ...errorData(error), exit } });
    print.note(`${print.style('red', 'error', 'stderr')} ${sanitizeIndented(textOf(error))}`);
    return exit;
  }
}

async function dispatch(argv: readonly string[], context: CommandContext): Promise<ExitCode | undefined> {
  const { shell } = context;
  const [first] = argv;
  if (first === '--version' || first === '-v') {
    shell.stdout.write(`${VERSION}\n`);
    return undefined;
  }
  if (first === undefined || first === '--help' || first === '-h' || first === 'help')
    return explain(argv.slice(1), context);
  const listed = commandIn(argv);
  if (listed === undefined) throw unknownCommand(argv);
  const command = await listed.load();
  const input = readArguments(argv.slice(listed.name.split(' ').length), command.options);
  if (input.values.help === true) {
    shell.stdout.write(`${helpOf(command, context)}\n`);
    return undefined;
  }
  return command.run(input, context);
}

/** `mooring help call` is `mooring call --help`. */
async function explain(words: readonly string[], context: CommandContext): Promise<undefined> {
  const listed = commandIn(words);
  if (listed === undefined && words.length > 0) throw unknownCommand(words);
  const text = listed === undefined ? helpOfAll(context) : helpOf(await listed.load(), context);
  context.shell.stdout.write(`${text}\n`);
}

function unknownCommand(words: readonly string[]): McpError {
  const [word = ''] = words;
  const similar = similarTo(word);
  const advice =
    similar.length > 0
      ? `did you mean ${similar.map((name) => `\`mooring ${name}\``).join(' or ')}?`
      : '`mooring --help` lists them';
  return badArgument(words.slice(0, 2).join(' '), `there is no such command; ${advice}`);
}

function errorData(error: unknown): { readonly code: string | number; readonly message: string } {
  const code = error instanceof Error && 'code' in error && isCode(error.code) ? error.code : 'MCP_BUG';
  return { code, message: textOf(error) };
}

const isCode = (code: unknown): code is string | number => typeof code === 'string' || typeof code === 'number';

/** A mistake of ours shows where it was made; everything else says what to do in its text. */
function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (exitCodeOf(error) === exitCodes.bug && !(error instanceof McpError)) return error.stack ?? error.message;
  const cause = error instanceof McpError && error.cause instanceof McpError ? `\n${error.cause.message}` : '';
  return inOptions(error.message) + cause;
}

/** The library names its settings; here they are options of the command line. */
const inOptions = (message: string): string =>
  message
    .replace(
      'pass credentials as "headers" or "auth"',
      'pass --header "Authorization: Bearer …", or run this on a terminal to sign in',
    )
    .replace(/\((?:connectTimeoutMs|timeoutMs is [^)]*)\)/, '(--timeout <seconds> waits longer)');
