/** Turns a typed server (URL, module, or command after `--`) into an entry of a configuration file. */
import type { ConfigChange } from '../../host/index.ts';
import { MASK } from '../../model/secrets.ts';
import { badArgument } from '../arguments.ts';
import type { CommandInput } from '../command.ts';
import { projectModuleEntry } from '../install/portable-command.ts';
import type { Printer } from '../printer.ts';
import { targetOptions } from '../target/options.ts';
import { targetIn } from '../target/target.ts';
import {
  type ConfigPlace,
  isSecret,
  looksUpReferences,
  maskWords,
  referenceIn,
  variableFor,
} from './known-applications.ts';

export const definitionOptions = {
  env: targetOptions.env,
  header: targetOptions.header,
} as const;

export type DefinitionInput = CommandInput<typeof definitionOptions>;

/** The entry to write. Members with null are removed from an existing entry. */
export async function definitionOf(input: DefinitionInput, place?: ConfigPlace): Promise<ConfigChange> {
  const { words, after } = input;
  const [word, extra] = words;
  if (word === undefined && after === undefined)
    throw badArgument('<server>', 'expected a URL, a module, or a command after --');
  const unexpected = after === undefined ? extra : word;
  if (unexpected !== undefined)
    throw badArgument(unexpected, 'unexpected argument; a command goes after --, see --help');
  if (word !== undefined && !/^https?:|[/\\]|\.[cm]?[jt]sx?$/i.test(word))
    throw badArgument(word, 'expected a URL or a module; a command goes after --, such as `-- npx -y package`');
  const { source, module } = (await targetIn(input)).target;
  if (module !== undefined && place?.scope === 'project' && 'command' in source)
    return { ...projectModuleEntry(module, place), env: source.env ?? null, url: null, headers: null };
  return 'url' in source
    ? { url: String(source.url), headers: source.headers ?? null, command: null, args: null, env: null }
    : { command: source.command, args: source.args ?? null, env: source.env ?? null, url: null, headers: null };
}

/** Warns that a typed secret is written to the file in plain text. */
export function warnOfSecrets(
  { command, args, url, env, headers }: ConfigChange,
  { file }: Pick<ConfigPlace, 'file'>,
  print: Printer,
): void {
  const note = (what: string, better = ''): void =>
    print.note(`${print.style('yellow', 'note', 'stderr')} ${what} is written to ${file} in plain text${better}`);
  const words = [command, ...(args ?? []), url].filter((word) => typeof word === 'string');
  if (maskWords(words).some((word) => word.includes(MASK))) note('what looks like a secret in the command line or URL');
  for (const [name, value] of Object.entries({ ...env, ...headers })) {
    if (typeof value !== 'string' || !isSecret(name, value)) continue;
    const reference = referenceIn(file)(variableFor(name));
    const better = looksUpReferences(file) ? `; to keep it out of the file, write "${reference}" as the value` : '';
    note(`the value of ${name}`, better);
  }
}
