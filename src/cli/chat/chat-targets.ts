/** The servers of a chat: those that were named, or all that are configured. */
import { printable } from '../../model/printable.ts';
import { badArgument } from '../arguments.ts';
import type { TargetContext, TargetInput } from '../target/options.ts';
import { type CommandTarget, configuredServers, targetIn, targetOf } from '../target/target.ts';

/** Throws `MCP_BAD_ARGUMENT` or `MCP_BAD_CONFIG`. Starts nothing. */
export async function chatTargets(input: TargetInput, by: TargetContext): Promise<readonly CommandTarget[]> {
  const { shell } = by;
  const named = await Promise.all(input.words.map((word) => targetOf(word, input, shell)));
  if (input.after !== undefined) return [...named, (await targetIn({ ...input, words: [] }, shell)).target];
  const targets = named.length > 0 ? named : await configuredTargets(input, by);
  if (targets.length > 0) return targets;
  throw badArgument(
    '<target>',
    'no server is configured here; name a URL, module, configured server, or command after --',
  );
}

async function configuredTargets(
  input: TargetInput,
  { shell, print }: TargetContext,
): Promise<readonly CommandTarget[]> {
  const { servers, faults } = await configuredServers(input, shell);
  const [fault] = faults;
  // A mistake in a file that was named ends the command. Files of other applications are not in the way.
  if (fault !== undefined && input.values.config !== undefined) throw fault;
  for (const one of faults) print.note(print.style('yellow', printable(one.message), 'stderr'));
  return Object.entries(servers).map(([label, source]) => ({ label, name: label, source }));
}
