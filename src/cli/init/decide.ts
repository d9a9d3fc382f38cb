/** From what was typed, and what is asked on a terminal, to a plan. */
import { basename } from 'node:path';
import { badArgument } from '../arguments.ts';
import { ask } from '../ask.ts';
import type { Input, Options, Surroundings } from '../command.ts';
import { canAsk } from '../shell.ts';
import { pathFrom } from '../target/target.ts';
import { noWords } from '../words.ts';
import { type Plan, schemas, transports } from './plan.ts';
import { checkEmpty } from './write-project.ts';

export const initOptions = {
  name: { type: 'string', value: 'name', about: 'What the package and the server are called (the name of the folder)' },
  transport: { type: 'string', value: transports.join('|'), about: 'How it is served (stdio)' },
  schema: { type: 'string', value: schemas.join('|'), about: 'What its schemas are written with (zod)' },
} as const satisfies Options;

export interface Decided {
  readonly plan: Plan;
  readonly folder: string;
  /** As it was typed. */
  readonly argument: string;
}

export async function decide(input: Input<typeof initOptions>, { shell }: Surroundings): Promise<Decided> {
  const { values, words } = input;
  noWords(words.slice(1));
  // What was typed is judged before anything is asked.
  const given = {
    name: values.name === undefined ? undefined : checkedName(values.name, `--name ${values.name}`),
    transport: oneOf('transport', transports, values.transport),
    schema: oneOf('schema', schemas, values.schema),
  };
  const asking = canAsk(shell);
  const line = async (question: string, otherwise: string): Promise<string> =>
    (asking ? await ask(shell, `${question} [${otherwise}]: `) : '') || otherwise;
  const argument = words[0] ?? (asking ? await line('Folder', 'my-server') : '.');
  const folder = pathFrom(shell, argument);
  await checkEmpty(folder, argument);
  const name = given.name ?? checkedName(await line('Name', nameFrom(folder)), 'The name');
  const transport =
    given.transport ?? oneOf('transport', transports, await line(`Transport (${transports.join(', ')})`, 'stdio'));
  const schema = given.schema ?? oneOf('schema', schemas, await line(`Schemas (${schemas.join(', ')})`, 'zod'));
  return { plan: { name, transport: transport ?? 'stdio', schema: schema ?? 'zod' }, folder, argument };
}

function oneOf<T extends string>(option: string, known: readonly T[], text: string | undefined): T | undefined {
  const found = known.find((one) => one === text);
  if (text !== undefined && found === undefined)
    throw badArgument(`--${option} ${text}`, `expected one of ${known.join(', ')}`);
  return found;
}

/** What npm takes for a name. */
function checkedName(name: string, argument: string): string {
  if (/^(?:@[a-z0-9][\w.-]*\/)?[a-z0-9][a-z0-9._-]*$/.test(name) && name.length <= 214) return name;
  throw badArgument(argument, 'expected a name for a package: small letters, digits, "-", "_" and "."');
}

const nameFrom = (folder: string): string =>
  basename(folder)
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[^a-z0-9]+|-+$/g, '') || 'my-server';
