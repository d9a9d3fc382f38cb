/** Decides what `mooring init` creates, from options and questions on the terminal. */

import { basename } from 'node:path';
import { McpError } from '../../errors.ts';
import { printableIndented } from '../../model/printable.ts';
import { badArgument, rejectExtra } from '../arguments.ts';
import { askOnTerminal } from '../ask.ts';
import { type CommandContext, type CommandInput, type Options, withValue } from '../command.ts';
import { pathFrom } from '../paths.ts';
import { canAsk } from '../shell.ts';
import { checkEmpty } from './write-project.ts';

export const transports = ['stdio', 'http'] as const;
export const schemas = ['zod', 'valibot', 'arktype', 'json'] as const;

export const initOptions = {
  name: withValue('name', 'Name of the package and the server (default: the name of the folder)'),
  transport: withValue(transports.join('|'), 'Transport of the server (default: stdio)'),
  schema: withValue(schemas.join('|'), 'Library for schemas; json is plain JSON Schema (default: zod)'),
} as const satisfies Options;

export interface InitPlan {
  /** The name of the package, and of the server. */
  readonly name: string;
  readonly transport: (typeof transports)[number];
  readonly schema: (typeof schemas)[number];
}

export async function decideInit(
  input: CommandInput<typeof initOptions>,
): Promise<{ readonly plan: InitPlan; readonly folder: string }> {
  const { values, words, shell } = input;
  rejectExtra(words.slice(1));
  const toTransport = (text: string): InitPlan['transport'] => oneOf('transport', transports, text);
  const toSchema = (text: string): InitPlan['schema'] => oneOf('schema', schemas, text);
  // Validates all options before the first question.
  const given = {
    name: values.name === undefined ? undefined : checkName(values.name),
    transport: values.transport === undefined ? undefined : toTransport(values.transport),
    schema: values.schema === undefined ? undefined : toSchema(values.schema),
  };
  const argument = words[0] ?? (await askFor(input, 'Folder', canAsk(shell) ? 'my-server' : '.', String));
  const folder = pathFrom(shell, argument);
  await checkEmpty(folder, argument);
  // A typed folder is also the name; asks for the name only after asking for the folder.
  const name =
    given.name ??
    (words[0] === undefined ? await askFor(input, 'Name', nameFrom(folder), checkName) : nameFrom(folder));
  const [how, what] = [`Transport (${transports.join(', ')})`, `Schemas (${schemas.join(', ')})`];
  const transport = given.transport ?? (await askFor(input, how, 'stdio', toTransport));
  const schema = given.schema ?? (await askFor(input, what, 'zod', toSchema));
  return { plan: { name, transport, schema }, folder };
}

/** Returns the default if this is not a terminal. Asks again if `check` throws. */
async function askFor<T>(
  { shell, print }: CommandContext,
  question: string,
  otherwise: string,
  check: (text: string) => T,
): Promise<T> {
  if (!canAsk(shell)) return check(otherwise);
  for (;;) {
    const said = await askOnTerminal(shell, `${question} [${otherwise}]: `);
    try {
      return check(said === '' ? otherwise : said);
    } catch (thrown) {
      if (!(thrown instanceof McpError)) throw thrown;
      print.note(printableIndented(thrown.message));
    }
  }
}

function oneOf<T extends string>(option: string, known: readonly T[], text: string): T {
  const found = known.find((one) => one === text);
  if (found === undefined) throw badArgument(`--${option} ${text}`, `expected one of ${known.join(', ')}`);
  return found;
}

/** Validates a package name by the rules of npm. */
function checkName(name: string): string {
  if (/^(?:@[a-z0-9][\w.-]*\/)?[a-z0-9][a-z0-9._-]*$/.test(name) && name.length <= 214) return name;
  throw badArgument(`--name ${name}`, 'expected a package name: lowercase letters, digits, "-", "_" and "."');
}

const nameFrom = (folder: string): string =>
  basename(folder)
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[^a-z0-9]+|-+$/g, '') || 'my-server';
