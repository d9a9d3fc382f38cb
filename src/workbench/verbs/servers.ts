/** Verbs about the session and its servers. */
import { badDefinition } from '../../errors.ts';
import type { ServerSource } from '../../host/index.ts';
import { quoteCommand } from '../../host/servers/quote-command.ts';
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import { VERSION } from '../../model/names.ts';
import { maskSecretsIn } from '../../model/secrets.ts';
import { either, optional, type Shape, shape, string, stringList, strings } from '../../model/shape.ts';
import { revisionIds } from '../../revisions/index.ts';
import type { HelloResult } from '../protocol.ts';
import type { TypedServer } from '../protocol-rows.ts';
import { type VerbTable, verb } from '../rpc.ts';
import type { Workbench } from '../workbench.ts';
import { addressOf } from '../workbench-servers.ts';

/** Parts of the session that `openWorkbench` creates after the workbench. */
export interface HelloParts {
  invite(): string;
  recording(): HelloResult['recording'];
  travelling(): HelloResult['travelling'];
}

const revision: Shape<string | null> = (value, at) =>
  value === null || revisionIds.some((id) => id === value)
    ? undefined
    : `"${at}" must be one of ${revisionIds.join(', ')}`;
const commandOrUrl: Shape<TypedServer> = either(
  shape<Extract<TypedServer, { command: string }>>({
    command: string,
    args: optional(stringList),
    env: optional(strings),
    cwd: optional(string),
  }),
  shape<Extract<TypedServer, { url: string }>>({ url: string, headers: optional(strings) }),
);
const typedServer: Shape<TypedServer> = (value, at) => {
  const isBoth = isObject(value) && value['command'] !== undefined && value['url'] !== undefined;
  return isBoth ? `"${at}" must have a command or a url, not both` : commandOrUrl(value, at);
};

export function serverVerbs(bench: Workbench, parts: HelloParts): VerbTable {
  const { servers, host, feed } = bench;
  return {
    hello: verb({}, () => ({
      version: VERSION,
      process: feed.process,
      revisions: revisionIds,
      servers: servers.list(),
      questions: bench.questions.open,
      policy: { name: bench.options.policyName, rules: bench.options.policy.length },
      recording: parts.recording(),
      travelling: parts.travelling(),
      messages: bench.history.size,
      dropped: bench.history.dropped,
      lastEvent: feed.lastId,
    })),
    invite: verb({}, () => ({ url: parts.invite() })),
    'servers.list': verb({}, () => ({ servers: servers.list() })),
    'servers.connect': verb({ server: string, revision: optional(revision) }, ({ server, revision: chosen }) =>
      servers.connect(server, chosen),
    ),
    'servers.restart': verb({ server: string }, ({ server }) => servers.restart(server)),
    'servers.stop': verb({ server: string }, ({ server }) => servers.stop(server)),
    'servers.examine': verb({ server: string }, async ({ server }) => ({ findings: await servers.examine(server) })),
    'servers.log': verb({ server: string }, ({ server }) => ({ lines: host.servers.get(server)?.log ?? [] })),
    'servers.config': verb({ server: string }, ({ server }) => ({ text: configText(bench, server) })),
    'servers.add': verb({ label: string, definition: typedServer }, async ({ label, definition }) => {
      if (!/^[\w-]{1,64}$/.test(label)) throw badDefinition('The label', 'expected 1 to 64 letters, digits, - or _');
      if (host.servers.has(label)) throw badDefinition('The label', `"${label}" is already used; choose another one`);
      const source = typedSource(definition);
      if ('command' in source) await confirmInTerminal(bench, label, source);
      servers.add(label, source);
      bench.signIns.add(label, source);
      return servers.info(label);
    }),
    'servers.roots': verb({ server: string, folders: optional(stringList) }, async ({ server, folders }) => {
      const roots = host.roots(server);
      if (folders !== undefined) await roots.set(folders);
      return { folders: [...roots.paths] };
    }),
  };
}

/** Copies only members that a user can type, so that nothing is started that the confirmation did not show. */
function typedSource(definition: TypedServer): TypedServer {
  if ('command' in definition) {
    const { command, args, env, cwd } = definition;
    const rest = { ...(args && { args }), ...(env && { env }), ...(cwd === undefined ? {} : { cwd }) };
    return { command, ...rest };
  }
  const { url, headers } = definition;
  return headers === undefined ? { url } : { url, headers };
}

type TypedCommandSource = Extract<TypedServer, { readonly command: string }>;

/** Asks in the terminal: a page must not be able to start a command. */
async function confirmInTerminal(bench: Workbench, label: string, source: TypedCommandSource): Promise<void> {
  const { command, args = [], env = {}, cwd } = source;
  const commandLine = quoteCommand([command, ...args]);
  const variables = Object.keys(env);
  await bench.questions.askInTerminal({ kind: 'command', server: label, commandLine, variables }, () =>
    bench.options.confirmCommand({ label, commandLine, cwd, variables }),
  );
}

function sourceOf(bench: Workbench, label: string): ServerSource {
  bench.servers.info(label);
  return bench.servers.source(label) ?? '';
}

const configMembers = ['command', 'args', 'env', 'cwd', 'url', 'headers'] as const;

/** The server's entry for an application's `mcpServers`, with secrets masked. */
function configText(bench: Workbench, label: string): string {
  const source = sourceOf(bench, label);
  const written: JsonObject = isObject(source) ? source : { url: addressOf(source) };
  const entry = Object.fromEntries(
    configMembers.flatMap((key) => (written[key] === undefined ? [] : [[key, written[key]]])),
  );
  return JSON.stringify(
    { mcpServers: { [label]: maskSecretsIn(entry, { text: (text) => bench.scrub(label, text), whole: true }) } },
    undefined,
    2,
  );
}
