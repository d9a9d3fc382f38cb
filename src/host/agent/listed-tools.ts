/** A toolbox of whatever the servers list. A server that is slow, broken or refused is missing from it and holds up nobody. */
import type { Clock } from '../../peer/clock.ts';
import { within } from '../../revisions/opening.ts';
import type { ManagedServer } from '../managed-server.ts';
import type { AgentTool, Hint, Toolbox } from './toolbox.ts';

/** Whoever has not answered by then may be there at the next turn. */
const DEADLINE_MS = 5_000;
/** What providers take. */
const MAX_ALIAS = 64;

interface Listed {
  readonly tools: readonly AgentTool[];
  readonly hints: readonly Hint[];
}

export class ListedTools implements Toolbox {
  readonly #servers: ReadonlyMap<string, ManagedServer>;
  readonly #clock: Clock;

  constructor(servers: ReadonlyMap<string, ManagedServer>, clock: Clock) {
    this.#servers = servers;
    this.#clock = clock;
  }

  async open(signal: AbortSignal): Promise<Listed> {
    const found = new Map<string, Listed>();
    const listing = [...this.#servers.values()].map(async (server) => {
      const listed = await list(server, signal).catch(() => undefined);
      if (listed !== undefined) found.set(server.label, listed);
    });
    await within(DEADLINE_MS, this.#clock, Promise.all(listing));
    signal.throwIfAborted();
    const all = [...this.#servers.keys()].flatMap((label) => found.get(label) ?? []);
    return { tools: aliased(all.flatMap(({ tools }) => tools)), hints: all.flatMap(({ hints }) => hints) };
  }
}

async function list(server: ManagedServer, signal: AbortSignal): Promise<Listed> {
  const { label } = server;
  const client = await server.client(signal);
  const tools = await client.list('tools', { signal }).all();
  const { instructions } = client.server;
  return {
    tools: tools.map(({ name, description = '', inputSchema }) => ({
      name: `${label}.${name}`,
      alias: `${label}__${name}`.replace(/[^\w-]/g, '_').slice(0, MAX_ALIAS),
      server: label,
      description,
      inputSchema,
    })),
    hints: instructions === undefined || instructions === '' ? [] : [{ server: label, instructions }],
  };
}

/** Names that only differ in what an alias cannot have get a number. */
function aliased(tools: readonly AgentTool[]): readonly AgentTool[] {
  const taken = new Set<string>();
  return tools.map((tool) => {
    let { alias } = tool;
    for (let n = 2; taken.has(alias); n++) alias = `${tool.alias.slice(0, MAX_ALIAS - 4)}_${n}`;
    taken.add(alias);
    return { ...tool, alias };
  });
}
