/** Starting a command: what is shown of it, unabridged, and what it becomes. */
import { resolve } from 'node:path';
import { type ConnectionPlan, planConnection, type Target } from '../../connect/target.ts';
import type { Masks } from '../../model/masks.ts';
import type { Act } from '../act/act.ts';
import { dangersOf, type ShownCommand } from './dangers.ts';
import { readEnvFile } from './env-file.ts';
import { fingerprintOf } from './fingerprint.ts';
import { isLoader } from './loaders.ts';
import { each, type OpeningOptions, opens, type ServerOpening } from './opening.ts';
import type { CommandSource, ConfigText } from './source.ts';
import { ServerTexts } from './texts.ts';

export async function commandOpening(source: CommandSource, options: OpeningOptions): Promise<ServerOpening> {
  const { label, connect } = options;
  const texts = new ServerTexts({ ...options, from: source.from });
  const envFile = await envFileOf(source, texts, options.masks);
  const shown = await shownCommand(source, texts, envFile?.variables);
  const { command, args, cwd, env } = shown;
  const around = options.sandbox?.({ command, args, cwd, env: Object.fromEntries(env) }, label);
  const sandbox = around === undefined ? [] : [around.command, ...around.args];
  const details = {
    command,
    args,
    ...(cwd === undefined ? {} : { cwd }),
    env: [...env.keys()].toSorted(),
    ...(envFile === undefined ? {} : { envFile: envFile.path }),
    ...(around === undefined ? {} : { sandbox }),
  };
  const hidden = await hiddenValues(source, texts, envFile);
  const act: Act = {
    ...opens(label),
    kind: 'spawn',
    name: [command, ...args].map(quoteWord).join(' '),
    arguments: details,
    definition: await fingerprintOf(details, hidden, options.fingerprintKey),
  };
  const way = async (): Promise<ConnectionPlan> =>
    planConnection(await wholeCommand(source, texts, { options, sandbox, variables: envFile?.variables }), connect);
  return { act, warnings: dangersOf(shown, { sandboxed: around !== undefined }), way };
}

interface EnvFile {
  readonly path: string;
  /** Read once: what is started is what was shown. */
  readonly variables: ReadonlyMap<string, string>;
}

async function envFileOf(source: CommandSource, texts: ServerTexts, masks: Masks): Promise<EnvFile | undefined> {
  if (source.envFile === undefined) return undefined;
  const path = await texts.shown(source.envFile, { variables: true });
  const variables = await readEnvFile(placed(source, path));
  for (const value of variables.values()) masks.add(value);
  return { path, variables };
}

/**
 * All values that the program gets, if any is not shown. Secrets are there by name: they are looked up once the user has agreed, and belong to the user,
 * not to the author of the configuration.
 */
async function hiddenValues(source: CommandSource, texts: ServerTexts, envFile: EnvFile | undefined): Promise<unknown> {
  const whole = (text: ConfigText): Promise<string> => texts.shown(text, { variables: true });
  const env = await each(Object.entries(source.env ?? {}), async ([name, text]) => [name, await whole(text)]);
  const args = await each(source.args ?? [], whole);
  const isShown =
    env.length === 0 && envFile === undefined && (source.args ?? []).every((arg) => typeof arg === 'string');
  return isShown ? undefined : { args, env, envFile: [...(envFile?.variables ?? [])] };
}

async function shownCommand(
  source: CommandSource,
  texts: ServerTexts,
  variables: ReadonlyMap<string, string> = new Map(),
): Promise<ShownCommand> {
  const command = await texts.shown(source.command, { variables: true });
  const args = await each(source.args ?? [], (arg) => texts.shown(arg, { variables: false }));
  const cwd = source.cwd === undefined ? undefined : placed(source, await texts.shown(source.cwd, { variables: true }));
  const named = await each(
    Object.entries(source.env ?? {}),
    async ([name, text]): Promise<[string, string | undefined]> => [
      name,
      isLoader(name) ? await texts.shown(text, { variables: true }) : undefined,
    ],
  );
  const filed = [...variables].map(([name, value]): [string, string | undefined] => [
    name,
    isLoader(name) ? value : undefined,
  ]);
  return { command, args, cwd, env: new Map([...filed, ...named]) };
}

interface Within {
  readonly options: OpeningOptions;
  /** What is put in front of the command. */
  readonly sandbox: readonly string[];
  /** Of the file of variables. */
  readonly variables: ReadonlyMap<string, string> | undefined;
}

async function wholeCommand(
  source: CommandSource,
  texts: ServerTexts,
  { options, sandbox, variables }: Within,
): Promise<Target> {
  const env = new Map(variables);
  for (const [name, text] of Object.entries(source.env ?? {})) env.set(name, await texts.whole(text));
  const own = await texts.whole(source.command);
  const [command = own, ...args] = [...sandbox, own, ...(await each(source.args ?? [], (arg) => texts.whole(arg)))];
  return {
    command,
    args,
    env: Object.fromEntries(env),
    ...(source.cwd === undefined ? {} : { cwd: placed(source, await texts.whole(source.cwd)) }),
    onStderr: options.log.stderr,
    onStray: (what, sample) => options.log.write('stdout', `${what}: ${sample}`),
    clock: options.connect.clock,
  };
}

/** Paths in a file are meant from the folder that the file is about. */
const placed = ({ from }: CommandSource, path: string): string => resolve(from?.workspaceFolder ?? '', path);

/** So that it can be seen where an argument begins and ends. */
export const quoteWord = (word: string): string => (/^[\w@%+=:,./\\~-]+$/.test(word) ? word : JSON.stringify(word));
