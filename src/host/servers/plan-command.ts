/** Plans how to start a command: what the user is shown, and what is started. */
import { resolve } from 'node:path';
import { planConnection } from '../../connect/target.ts';
import { defined, type JsonObject } from '../../jsonrpc/message.ts';
import type { Masks } from '../../model/secrets.ts';
import type { Act } from '../act/act.ts';
import type { CommandSource, ConfigText } from '../config/source.ts';
import { commandWarnings } from './command-warnings.ts';
import { readEnvFile } from './env-file.ts';
import { fingerprintOf } from './fingerprint.ts';
import { loadsCode } from './loader-variables.ts';
import { quoteCommand } from './quote-command.ts';
import {
  mapInOrder,
  mapTexts,
  openAct,
  type ServerPlan,
  type ServerPlanOptions,
  valueWarnings,
} from './server-plan.ts';
import { TextResolver } from './text-resolver.ts';

export async function planCommand(source: CommandSource, options: ServerPlanOptions): Promise<ServerPlan> {
  const { label } = options;
  const texts = new TextResolver({ ...options, from: source.from });
  const envFile = await loadEnvFile(source, texts, options.masks);
  // Secrets stay placeholders in the fingerprint: they belong to the user, not to the author of the configuration.
  const known = await readCommand(source, (text) => texts.display(text, { variables: true }));
  const args = await mapInOrder(source.args ?? [], (arg) => texts.display(arg, { variables: false }));
  const { command, cwd } = known;
  const env = Object.fromEntries(
    [...envFile.variables, ...known.env].map(([name, value]) => [name, loadsCode(name) ? value : undefined]),
  );
  const sandbox = options.sandbox?.({ command, args, cwd, env }, label);
  const prefix = sandbox && [sandbox.command, ...sandbox.args];
  const details = defined<JsonObject>({
    ...{ command, args, cwd, envFile: envFile.path, sandbox: prefix },
    env: Object.keys(env).toSorted(),
  });
  const isShown =
    known.env.size === 0 && envFile.path === undefined && (source.args ?? []).every((arg) => typeof arg === 'string');
  const hidden = isShown ? undefined : { args: known.args, env: [...known.env], envFile: [...envFile.variables] };
  const name = quoteCommand(source.shownAs ?? [command, ...args]);
  const definition = await fingerprintOf(details, hidden, options.fingerprintKey);
  const act: Act = { ...openAct(label), kind: 'spawn', name, arguments: details, definition };
  return {
    act,
    warnings: [
      ...commandWarnings({ command, args, cwd, env }, { sandboxed: sandbox !== undefined }),
      ...valueWarnings(source.env),
    ],
    resolve: async () => {
      const whole = await readCommand(source, (text) => texts.resolve(text));
      const [first = whole.command, ...rest] = [...(prefix ?? []), whole.command, ...whole.args];
      const target = {
        ...{ command: first, args: rest, clock: options.connect.clock },
        ...(whole.cwd === undefined ? {} : { cwd: whole.cwd }),
        env: Object.fromEntries([...envFile.variables, ...whole.env]),
        onStderr: options.log.stderr,
        onStray: (what: string, sample: string, isMalformed?: true) =>
          options.log.write(isMalformed ? 'stdout' : 'host', `${what}: ${sample}`),
      };
      return planConnection(target, options.connect);
    },
  };
}

interface EnvFile {
  readonly path: string | undefined;
  /** Read only once, so that what is started is what was shown. */
  readonly variables: ReadonlyMap<string, string>;
}

async function loadEnvFile(source: CommandSource, texts: TextResolver, masks: Masks): Promise<EnvFile> {
  if (source.envFile === undefined) return { path: undefined, variables: new Map() };
  const path = await texts.display(source.envFile, { variables: true });
  const variables = await readEnvFile(resolvePath(source, path));
  for (const value of variables.values()) masks.add(value);
  return { path, variables };
}

export interface CommandTexts {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string | undefined;
  readonly env: ReadonlyMap<string, string>;
}

/** Resolves the command as it is started, without a host. Throws if a value, a secret or the `envFile` is missing. */
export async function resolveCommand(source: CommandSource, texts: TextResolver, masks: Masks): Promise<CommandTexts> {
  const { variables } = await loadEnvFile(source, texts, masks);
  const whole = await readCommand(source, (text) => texts.resolve(text));
  return { ...whole, env: new Map([...variables, ...whole.env]) };
}

/** Replaces each text of the command with the result of `read`. */
async function readCommand(source: CommandSource, read: (text: ConfigText) => Promise<string>): Promise<CommandTexts> {
  const { args = [], cwd } = source;
  const env = await mapTexts(source.env ?? {}, read);
  return {
    command: await read(source.command),
    args: await mapInOrder(args, read),
    cwd: cwd === undefined ? undefined : resolvePath(source, await read(cwd)),
    env: new Map(env),
  };
}

/** Paths in a configuration file are relative to its workspace folder. */
const resolvePath = ({ from }: CommandSource, path: string): string => resolve(from?.workspaceFolder ?? '', path);
