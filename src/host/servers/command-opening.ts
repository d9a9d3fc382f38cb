/** Starting a command: what is shown of it, unabridged, and what it becomes. */
import { resolve } from 'node:path';
import { type Target, type Way, wayTo } from '../../connect/target.ts';
import { canonical } from '../../model/canonical.ts';
import type { Act } from '../act.ts';
import { sha256 } from '../binding.ts';
import { dangersOf, loaders, type ShownCommand } from './dangers.ts';
import { readEnvFile } from './env-file.ts';
import { each, type Opening, type OpeningOptions, opens } from './opening.ts';
import type { CommandSource } from './source.ts';
import { Texts } from './texts.ts';

export async function commandOpening(source: CommandSource, options: OpeningOptions): Promise<Opening> {
  const { label, connect } = options;
  const texts = new Texts({ ...options, from: source.from });
  const shown = await shownCommand(source, texts);
  const { command, args, cwd, env } = shown;
  const around = options.sandbox?.({ command, args, cwd, env: Object.fromEntries(env) }, label);
  const sandbox = around === undefined ? [] : [around.command, ...around.args];
  const envFile = source.envFile === undefined ? undefined : await texts.shown(source.envFile, { variables: true });
  const details = {
    command,
    args,
    ...(cwd === undefined ? {} : { cwd }),
    env: [...env.keys()].toSorted(),
    ...(envFile === undefined ? {} : { envFile }),
    ...(around === undefined ? {} : { sandbox }),
  };
  // Values may be secrets, and a hash of a short one tells it; but those that choose the code are part of the command.
  const loads = [...env].filter(([name]) => loaders.has(name.toUpperCase()));
  const act: Act = {
    ...opens(label),
    kind: 'spawn',
    name: [command, ...args].map(quoted).join(' '),
    arguments: details,
    definition: sha256(canonical({ ...details, loads })),
  };
  const way = async (): Promise<Way> => wayTo(await wholeCommand(source, texts, { options, sandbox }), connect);
  return { act, warnings: dangersOf(shown, { sandboxed: around !== undefined }), way };
}

async function shownCommand(source: CommandSource, texts: Texts): Promise<ShownCommand> {
  const command = await texts.shown(source.command, { variables: true });
  const args = await each(source.args ?? [], (arg) => texts.shown(arg, { variables: false }));
  const cwd = source.cwd === undefined ? undefined : placed(source, await texts.shown(source.cwd, { variables: true }));
  const env = await each(
    Object.entries(source.env ?? {}),
    async ([name, text]): Promise<[string, string | undefined]> => [
      name,
      loaders.has(name.toUpperCase()) ? await texts.shown(text, { variables: true }) : undefined,
    ],
  );
  return { command, args, cwd, env: new Map(env) };
}

interface Within {
  readonly options: OpeningOptions;
  /** What is put in front of the command. */
  readonly sandbox: readonly string[];
}

async function wholeCommand(source: CommandSource, texts: Texts, { options, sandbox }: Within): Promise<Target> {
  const env = new Map<string, string>();
  if (source.envFile !== undefined) {
    const path = placed(source, await texts.whole(source.envFile));
    for (const [name, value] of await readEnvFile(path)) {
      options.masks.add(value);
      env.set(name, value);
    }
  }
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
const quoted = (word: string): string => (/^[\w@%+=:,./\\~-]+$/.test(word) ? word : JSON.stringify(word));
