/** The servers of a chat: those that were named, or all that are configured; each under a label, and agreed to. */

import { basename, extname } from 'node:path';
import { labelFor } from '../../host/config/labels.ts';
import { classifySource } from '../../host/config/source.ts';
import { planServer } from '../../host/servers/plan-server.ts';
import type { InputSource, SecretSource } from '../../host/servers/text-resolver.ts';
import { isLoopbackHost } from '../../model/loopback.ts';
import { printable } from '../../model/printable.ts';
import { Masks } from '../../model/secrets.ts';
import { badArgument } from '../arguments.ts';
import { agreeToStart, approvalsOf } from '../target/agree.ts';
import { inputsFrom, secretsFrom } from '../target/inputs.ts';
import type { Opener } from '../target/open.ts';
import { type CommandTarget, configuredServers, type TargetInput, targetIn, targetOf } from '../target/target.ts';

export interface Sources {
  readonly servers: Readonly<Record<string, CommandTarget['source']>>;
  readonly inputs: InputSource;
  readonly secrets: SecretSource;
}

/** Throws `MCP_BAD_ARGUMENT` or `MCP_BAD_CONFIG`. Starts nothing. */
export async function sourcesIn(input: TargetInput, by: Opener): Promise<Sources> {
  const targets = await targetsIn(input, by);
  if (targets.length === 0)
    throw badArgument(
      '<target>',
      'no server is configured here; name an address, a module, a configured server, or a command after --',
    );
  const servers = new Map<string, CommandTarget['source']>();
  // What is configured has its label, whatever else was typed.
  const byLabel = targets.toSorted((a, b) => Number(a.source.from === undefined) - Number(b.source.from === undefined));
  for (const { label, source } of byLabel) servers.set(labelFor(nameOf(label, source), servers), source);
  const asking = { inputs: once(inputsFrom(by), ({ id }) => id), secrets: once(secretsFrom(by), (name) => name) };
  if (input.values.yes !== true)
    for (const [label, source] of servers) if (source.from !== undefined) await agreeTo({ label, source }, by, asking);
  return { servers: Object.fromEntries(servers), ...asking };
}

async function targetsIn(input: TargetInput, { shell, print }: Opener): Promise<readonly CommandTarget[]> {
  const named = await Promise.all(input.words.map((word) => targetOf(word, input, shell)));
  if (input.after !== undefined) return [...named, (await targetIn(input, shell)).target];
  if (named.length > 0) return named;
  const { servers, faults } = await configuredServers(input, shell);
  const [fault] = faults;
  // A file that was named is meant; those that other applications keep may be wrong without being in the way.
  if (fault !== undefined && input.values.config !== undefined) throw fault;
  for (const one of faults) print.note(print.style('yellow', printable(one.message), 'stderr'));
  return Object.entries(servers).map(([label, source]) => ({ label, source }));
}

/** Programs that are named after what they run. */
const runners =
  /^(?:node|npx|npm|pnpm|yarn|bun|bunx|deno|tsx|python[\d.]*|uv|uvx|pipx|docker|podman|ruby|java|sh|bash|env)$/;

/** What to call what was typed: the host of an address, the file of a module, the program of a command. */
function nameOf(label: string, source: CommandTarget['source']): string {
  if (source.from !== undefined) return label;
  if ('url' in source) return hostOf(new URL(label));
  const words = label.split(' ').filter((word) => !word.startsWith('-'));
  const [first = label] = words;
  const named = runners.test(stem(first)) ? (words.findLast((word) => /[./]/.test(word)) ?? first) : first;
  return stem(named);
}

/** Names that models may use begin with a letter. */
function hostOf({ hostname }: URL): string {
  if (isLoopbackHost(hostname)) return 'local';
  return /^[a-z]/.test(hostname) ? hostname : `host-${hostname}`;
}

const stem = (path: string): string => basename(path, extname(path));

async function agreeTo(target: CommandTarget, by: Opener, asking: Pick<Sources, 'inputs' | 'secrets'>): Promise<void> {
  const { shell } = by;
  const source = classifySource(target.source);
  if (source === undefined) return;
  const opening = await planServer(source, {
    label: target.label,
    lookups: { env: shell.env, userHome: shell.home, cwd: shell.cwd, ...asking },
    masks: new Masks(),
    log: { stderr: () => undefined, write: () => undefined },
    auth: undefined,
    sandbox: undefined,
    connect: {},
    fingerprintKey: approvalsOf(shell).key,
  });
  await agreeToStart(target, opening, by);
}

/** What was asked for to show a command is not asked for again to start it. */
function once<T>(
  find: (what: T, asking: { readonly server: string }) => string | Promise<string>,
  keyOf: (what: T) => string,
): (what: T, asking: { readonly server: string }) => Promise<string> {
  const known = new Map<string, Promise<string>>();
  return async (what, asking) => {
    const key = JSON.stringify([asking.server, keyOf(what)]);
    const answer = known.get(key) ?? Promise.resolve(find(what, asking));
    known.set(key, answer);
    answer.catch(() => known.delete(key));
    return answer;
  };
}
