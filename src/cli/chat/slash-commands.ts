/** Registry of the slash commands, in the order of `/help`, and their Tab completion. */
import type { Host, Session } from '../../host/index.ts';
import { suggest } from '../../model/suggest.ts';
import { badArgument, rejectExtra } from '../arguments.ts';
import { columns, type Row } from '../columns.ts';
import type { SlashCommand } from './chat.ts';
import { callSlash, promptSlash } from './slash/call.ts';
import { approvalsSlash, explainSlash } from './slash/explain.ts';
import { readSlash } from './slash/read.ts';
import { logSlash, serversSlash } from './slash/servers.ts';
import { toolsSlash } from './slash/tools.ts';

const help: SlashCommand = {
  name: 'help',
  usage: '',
  about: 'List these commands',
  async run(words, { screen, shell }) {
    rejectExtra(words);
    const rows = slashCommands.map(({ name, usage, about }): Row => [`/${name} ${usage}`.trim(), about]);
    screen.result({ type: 'help', commands: rows }, [
      ...columns([...rows, ['/quit', 'Close all servers and quit; so does Ctrl-D']], shell.stdout),
      '',
      'Every other line goes to the model. Tab completes. Ctrl-C cancels what is running or clears the line; at an empty prompt, it quits.',
    ]);
  },
};

const slashCommands: readonly SlashCommand[] = [
  toolsSlash,
  callSlash,
  readSlash,
  promptSlash,
  serversSlash,
  logSlash,
  explainSlash,
  approvalsSlash,
  help,
];
const slashNames: readonly string[] = [...slashCommands.map(({ name }) => `/${name}`), '/quit'];

/** Throws `MCP_BAD_ARGUMENT` for an unknown command. */
export function slashCommand(word: string): SlashCommand {
  const found = slashCommands.find(({ name }) => `/${name}` === word);
  if (found !== undefined) return found;
  throw badArgument(word, `unknown command; ${suggest(word, slashNames)}`);
}

/** Completion for Tab: the candidates for the last word, and that word. */
export async function completeLine(line: string, host: Host, session: Session): Promise<[string[], string]> {
  const [, command, start = ''] = /^\/(\w+)\s+(\S*)$/.exec(line) ?? [];
  const names =
    command === undefined
      ? slashNames
      : await namesFor(slashCommands.find(({ name }) => name === command)?.completes, host, session);
  const word = command === undefined ? line : start;
  const found = word === '' && command === undefined ? [] : names.filter((name) => name.startsWith(word));
  const [only] = found;
  // A single candidate gets a space, so that the next word can begin.
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
