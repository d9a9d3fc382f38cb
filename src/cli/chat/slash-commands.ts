/** The lines that begin with a slash, in the order of their help. */

import { suggest } from '../../model/suggest.ts';
import { badArgument } from '../arguments.ts';
import type { SlashCommand } from './chat.ts';
import { approvals } from './slash/approvals.ts';
import { callSlash } from './slash/call.ts';
import { explain } from './slash/explain.ts';
import { help } from './slash/help.ts';
import { promptSlash } from './slash/prompt.ts';
import { readSlash } from './slash/read.ts';
import { log, serversSlash } from './slash/servers.ts';
import { toolsSlash } from './slash/tools.ts';

export const slashCommands: readonly SlashCommand[] = [
  ...[toolsSlash, callSlash, readSlash, promptSlash, serversSlash, log, explain, approvals],
  help(() => slashCommands),
];

/** Throws `MCP_BAD_ARGUMENT` where there is no such command. */
export function slashCommand(word: string): SlashCommand {
  const name = word.slice(1);
  const found = slashCommands.find((one) => one.name === name);
  if (found !== undefined) return found;
  const names = [...slashCommands.map((one) => `/${one.name}`), '/quit'];
  throw badArgument(word, `there is no such command; ${suggest(word, names)}`);
}
