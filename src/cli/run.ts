/** Runs a command line: finds the command, parses its options, runs it, and maps errors to exit codes. */

import { McpError } from '../errors.ts';
import { errorCodeOf, FileFault, toFileFault } from '../files/file-fault.ts';
import { VERSION } from '../model/names.ts';
import { printableIndented } from '../model/printable.ts';
import { nearestNames } from '../model/suggest.ts';
import { badArgument, readArguments, splitAtDashes } from './arguments.ts';
import type { CommandContext } from './command.ts';
import { type CommandEntry, commandIn, familyOf, similarTo } from './commands.ts';
import { withCtrlC } from './ctrl-c.ts';
import { errorText } from './error-text.ts';
import { type ExitCode, exitCodeOf, exitCodes, isInterrupted } from './exit-codes.ts';
import { helpOf, helpOfAll, helpOfFamily } from './help.ts';
import { Printer } from './printer.ts';
import type { Shell } from './shell.ts';

/** `argv` begins with the command name. Never rejects. */
export async function runCommandLine(argv: readonly string[], shell: Shell): Promise<ExitCode> {
  const print = new Printer(shell, { json: splitAtDashes(argv).own.includes('--json') });
  return withCtrlC(() => exitOf(argv, { shell, print }), { shell, print });
}

async function exitOf(argv: readonly string[], { shell, print }: CommandContext): Promise<ExitCode> {
  try {
    return (await dispatch(argv, { shell, print })) ?? exitCodes.done;
  } catch (thrown) {
    if (shell.signal.aborted || isInterrupted(thrown)) return exitCodes.interrupted;
    const error = asFileError(thrown) ?? thrown;
    const exit = exitCodeOf(error);
    // On one line, because some commands print a line of JSON per event.
    print.event({ error: { ...errorData(error), exit } });
    print.note(`${print.style('red', 'error', 'stderr')} ${printableIndented(errorText(error))}`);
    return exit;
  }
}

/** An error of the file system, such as a full disk, is no bug of mooring. Node names the path of most. */
function asFileError(thrown: unknown): McpError | undefined {
  const named = thrown instanceof Error && 'syscall' in thrown && 'path' in thrown ? String(thrown.path) : undefined;
  if (!(thrown instanceof FileFault) && named === undefined && errorCodeOf(thrown) !== 'ENOSPC') return undefined;
  const { path, why } = toFileFault(named ?? 'A file', thrown);
  return new McpError('MCP_HOST_FILE', { path, why }, { cause: thrown });
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
  if (first === 'complete-words') return complete(argv, shell);
  const listed = commandIn(argv);
  if (listed === undefined && (argv[1] === '--help' || argv[1] === '-h')) return explain([first], context);
  if (listed === undefined || isMistyped(argv, listed)) throw unknownCommand(argv);
  const command = await listed.load();
  const typed = readArguments(argv.slice(listed.name.split(' ').length), command);
  const input = { ...typed, ...context };
  if (typed.values.help !== true) return (await command.run(input)) ?? undefined;
  const explained = await command.explain?.(input);
  if (explained === undefined) shell.stdout.write(`${helpOf(command, context)}\n`);
  return explained;
}

/** Answers the completion scripts (`mooring complete-words -- …`): one candidate per line. */
async function complete(argv: readonly string[], shell: Shell): Promise<undefined> {
  const { candidatesFor } = await import('./completion/candidates.ts');
  const found = await candidatesFor(splitAtDashes(argv).after ?? [], shell);
  shell.stdout.write(found.map((one) => `${one}\n`).join(''));
  // Exits without waiting for a server to shut down: the user's shell is waiting.
  shell.leave?.();
}

/** `mooring help call` is `mooring call --help`. */
async function explain(words: readonly string[], context: CommandContext): Promise<undefined> {
  const listed = commandIn(words);
  const family = words.length === 1 ? familyOf(words[0] ?? '') : [];
  if (listed === undefined && words.length > 0 && family.length === 0) throw unknownCommand(words);
  const others = family.length > 0 ? helpOfFamily(family, context) : helpOfAll(context);
  context.shell.stdout.write(`${listed === undefined ? others : helpOf(await listed.load(), context)}\n`);
}

/** `servers ad` is a typo of `servers add`. A word with a dot or a slash is a file, not a typo. */
const isMistyped = ([first = '', second = '']: readonly string[], { name }: CommandEntry): boolean =>
  name === first &&
  /^\w+$/.test(second) &&
  nearestNames(
    second,
    familyOf(first).map((one) => one.name.slice(first.length + 1)),
  ).length > 0;

function unknownCommand(words: readonly string[]): McpError {
  const [word = ''] = words;
  const isOption = word.startsWith('-');
  const similar = isOption ? nearestNames(word, ['--version', '--help']) : similarTo(words);
  let advice = 'see `mooring --help`';
  if (similar.length > 0) advice = `did you mean ${similar.map((name) => `\`mooring ${name}\``).join(' or ')}?`;
  else if (/\.[cm]?[jt]sx?$/.test(word)) advice = `to serve this module, write \`mooring run ${word}\``;
  if (isOption) return badArgument(word, `unknown option; ${advice}`);
  return badArgument(words.slice(0, 2).join(' '), `unknown command; ${advice}`);
}

function errorData(error: unknown): { readonly code: string | number; readonly message: string } {
  const code = error instanceof Error && 'code' in error && isCode(error.code) ? error.code : 'MCP_BUG';
  return { code, message: errorText(error) };
}

const isCode = (code: unknown): code is string | number => typeof code === 'string' || typeof code === 'number';
