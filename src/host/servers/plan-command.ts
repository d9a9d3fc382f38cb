/** Starting a command: what is shown of it, unabridged, and what it becomes. */
import { resolve } from 'node:path';
import { type ConnectionPlan, planConnection, type Target } from '../../connect/target.ts';
import type { Masks } from '../../model/secrets.ts';
import type { Act } from '../act/act.ts';
import type { CommandSource, ConfigText } from '../config/source.ts';
import { commandWarnings, type ShownCommand } from './command-warnings.ts';
import { readEnvFile } from './env-file.ts';
import { fingerprintOf } from './fingerprint.ts';
import { loadsCode } from './loader-variables.ts';
import { mapAll, openAct, type ServerPlan, type ServerPlanOptions } from './server-plan.ts';
import { TextResolver } from './text-resolver.ts';

export async function planCommand(source: CommandSource, options: ServerPlanOptions): Promise<ServerPlan> {
  const { label, connect } = options;
  const texts = new TextResolver({ ...options, from: source.from });
  const envFile = await loadEnvFile(source, texts, options.masks);
  const shown = await displayCommand(source, texts, envFile?.variables);
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
    ...openAct(label),
    kind: 'spawn',
    name: (source.shownAs ?? [command, ...args]).map(quoteWord).join(' '),
    arguments: details,
    definition: await fingerprintOf(details, hidden, options.fingerprintKey),
  };
  const way = async (): Promise<ConnectionPlan> =>
    planConnection(await resolveCommand(source, texts, { options, sandbox, variables: envFile?.variables }), connect);
  return { act, warnings: commandWarnings(shown, { sandboxed: around !== undefined }), resolve: way };
}

interface EnvFile {
  readonly path: string;
  /** Read once: what is started is what was shown. */
  readonly variables: ReadonlyMap<string, string>;
}

async function loadEnvFile(source: CommandSource, texts: TextResolver, masks: Masks): Promise<EnvFile | undefined> {
  if (source.envFile === undefined) return undefined;
  const path = await texts.display(source.envFile, { variables: true });
  const variables = await readEnvFile(resolvePath(source, path));
  for (const value of variables.values()) masks.add(value);
  return { path, variables };
}

/**
 * All values that the program gets, if any is not shown. Secrets are there by name: they are looked up once the user has agreed, and belong to the user,
 * not to the author of the configuration.
 */
async function hiddenValues(
  source: CommandSource,
  texts: TextResolver,
  envFile: EnvFile | undefined,
): Promise<unknown> {
  const whole = (text: ConfigText): Promise<string> => texts.display(text, { variables: true });
  const env = await mapAll(Object.entries(source.env ?? {}), async ([name, text]) => [name, await whole(text)]);
  const args = await mapAll(source.args ?? [], whole);
  const isShown =
    env.length === 0 && envFile === undefined && (source.args ?? []).every((arg) => typeof arg === 'string');
  return isShown ? undefined : { args, env, envFile: [...(envFile?.variables ?? [])] };
}

async function displayCommand(
  source: CommandSource,
  texts: TextResolver,
  variables: ReadonlyMap<string, string> = new Map(),
): Promise<ShownCommand> {
  const command = await texts.display(source.command, { variables: true });
  const args = await mapAll(source.args ?? [], (arg) => texts.display(arg, { variables: false }));
  const cwd =
    source.cwd === undefined ? undefined : resolvePath(source, await texts.display(source.cwd, { variables: true }));
  const named = await mapAll(
    Object.entries(source.env ?? {}),
    async ([name, text]): Promise<[string, string | undefined]> => [
      name,
      loadsCode(name) ? await texts.display(text, { variables: true }) : undefined,
    ],
  );
  const filed = [...variables].map(([name, value]): [string, string | undefined] => [
    name,
    loadsCode(name) ? value : undefined,
  ]);
  return { command, args, cwd, env: new Map([...filed, ...named]) };
}

interface CommandParts {
  readonly options: ServerPlanOptions;
  /** What is put in front of the command. */
  readonly sandbox: readonly string[];
  /** Of the file of variables. */
  readonly variables: ReadonlyMap<string, string> | undefined;
}

async function resolveCommand(
  source: CommandSource,
  texts: TextResolver,
  { options, sandbox, variables }: CommandParts,
): Promise<Target> {
  const env = new Map(variables);
  for (const [name, text] of Object.entries(source.env ?? {})) env.set(name, await texts.resolve(text));
  const own = await texts.resolve(source.command);
  const [command = own, ...args] = [...sandbox, own, ...(await mapAll(source.args ?? [], (arg) => texts.resolve(arg)))];
  return {
    command,
    args,
    env: Object.fromEntries(env),
    ...(source.cwd === undefined ? {} : { cwd: resolvePath(source, await texts.resolve(source.cwd)) }),
    onStderr: options.log.stderr,
    onStray: (what, sample) => options.log.write('stdout', `${what}: ${sample}`),
    clock: options.connect.clock,
  };
}

/** Paths in a file are meant from the folder that the file is about. */
const resolvePath = ({ from }: CommandSource, path: string): string => resolve(from?.workspaceFolder ?? '', path);

/** So that it can be seen where an argument begins and ends. */
export const quoteWord = (word: string): string => (/^[\w@%+=:,./\\~-]+$/.test(word) ? word : JSON.stringify(word));
