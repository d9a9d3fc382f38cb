/** From what was typed, and what is asked on a terminal, to a plan. */
import { basename } from 'node:path';
import { McpError } from '../../errors.ts';
import { badArgument, rejectExtra } from '../arguments.ts';
import { askOnTerminal } from '../ask.ts';
import type { CommandContext, Input, Options } from '../command.ts';
import { sanitizeIndented } from '../printer.ts';
import { canAsk } from '../shell.ts';
import { pathFrom } from '../target/target.ts';
import { type InitPlan, type InitTransport, type SchemaLibrary, schemas, transports } from './plan.ts';
import { checkEmpty } from './write-project.ts';

export const initOptions = {
  name: {
    type: 'string',
    value: 'name',
    about: 'Name of the package and the server (default: the name of the folder)',
  },
  transport: { type: 'string', value: transports.join('|'), about: 'How the server is reached (default: stdio)' },
  schema: { type: 'string', value: schemas.join('|'), about: 'What the schemas are written with (default: zod)' },
} as const satisfies Options;

export interface InitDecision {
  readonly plan: InitPlan;
  readonly folder: string;
  /** As it was typed. */
  readonly argument: string;
}

export async function decideInit(input: Input<typeof initOptions>, by: CommandContext): Promise<InitDecision> {
  const { values, words } = input;
  const { shell } = by;
  rejectExtra(words.slice(1));
  // What was typed is judged before anything is asked.
  const given = {
    name: values.name === undefined ? undefined : checkedName(values.name),
    transport: values.transport === undefined ? undefined : oneOf('transport', transports, values.transport),
    schema: values.schema === undefined ? undefined : oneOf('schema', schemas, values.schema),
  };
  const folder = (argument: string): string => pathFrom(shell, argument);
  const argument = words[0] ?? (await answer('Folder', canAsk(shell) ? 'my-server' : '.', { by, check: String }));
  await checkEmpty(folder(argument), argument);
  const fromFolder = nameFrom(folder(argument));
  // The folder was the question: one that was typed is the name too.
  const name =
    given.name ?? (words[0] === undefined ? await answer('Name', fromFolder, { by, check: checkedName }) : fromFolder);
  const served = (text: string): InitTransport => oneOf('transport', transports, text);
  const written = (text: string): SchemaLibrary => oneOf('schema', schemas, text);
  const [how, what] = [`Transport (${transports.join(', ')})`, `Schemas (${schemas.join(', ')})`];
  const transport = given.transport ?? (await answer(how, 'stdio', { by, check: served }));
  const schema = given.schema ?? (await answer(what, 'zod', { by, check: written }));
  return { plan: { name, transport, schema }, folder: folder(argument), argument };
}

interface InitQuestion<T> {
  readonly by: CommandContext;
  /** Throws `MCP_BAD_ARGUMENT`. */
  check(text: string): T;
}

/** The default, where this is not a terminal. An answer that does not fit is asked for again. */
async function answer<T>(question: string, otherwise: string, { by, check }: InitQuestion<T>): Promise<T> {
  const { shell, print } = by;
  if (!canAsk(shell)) return check(otherwise);
  for (;;) {
    const said = await askOnTerminal(shell, `${question} [${otherwise}]: `);
    try {
      return check(said === '' ? otherwise : said);
    } catch (thrown) {
      if (!(thrown instanceof McpError)) throw thrown;
      print.note(sanitizeIndented(thrown.message));
    }
  }
}

function oneOf<T extends string>(option: string, known: readonly T[], text: string): T {
  const found = known.find((one) => one === text);
  if (found === undefined) throw badArgument(`--${option} ${text}`, `expected one of ${known.join(', ')}`);
  return found;
}

/** What npm takes for a name. */
function checkedName(name: string): string {
  if (/^(?:@[a-z0-9][\w.-]*\/)?[a-z0-9][a-z0-9._-]*$/.test(name) && name.length <= 214) return name;
  throw badArgument(`--name ${name}`, 'expected a name for a package: small letters, digits, "-", "_" and "."');
}

const nameFrom = (folder: string): string =>
  basename(folder)
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[^a-z0-9]+|-+$/g, '') || 'my-server';
