/** What Tab makes of the beginning of a line. */
import type { Host, Session } from '../../host/index.ts';
import type { SlashCommand } from './chat.ts';
import { slashCommands } from './slash-commands.ts';

/** What the last word may become, and that word. */
export async function completeLine(line: string, host: Host, session: Session): Promise<[string[], string]> {
  const [, command, start = ''] = /^\/(\w+)\s+(\S*)$/.exec(line) ?? [];
  const names =
    command === undefined
      ? [...slashCommands.map(({ name }) => `/${name}`), '/quit']
      : await namesFor(slashCommands.find(({ name }) => name === command)?.completes, host, session);
  const word = command === undefined ? line : start;
  const found = word === '' && command === undefined ? [] : names.filter((name) => name.startsWith(word));
  const [only] = found;
  // What can only be one thing is done, and the next word begins.
  return [found.length === 1 ? [`${only} `] : found, word];
}

async function namesFor(
  completes: SlashCommand['completes'],
  { servers }: Host,
  { catalogue }: Session,
): Promise<readonly string[]> {
  if (completes === 'tools') return (await catalogue.tools()).map(({ name }) => name);
  if (completes === 'prompts') return (await catalogue.prompts()).map(({ name }) => name);
  if (completes === 'resources') return (await catalogue.resources()).map(({ definition }) => definition.uri);
  return completes === 'servers' ? [...servers.keys()] : [];
}
