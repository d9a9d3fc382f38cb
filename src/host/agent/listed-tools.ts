/** A toolbox of whatever the servers list. A server that is slow, broken or refused is missing from it and holds up nobody. */
import { McpError } from '../../errors.ts';
import type { Clock } from '../../peer/clock.ts';
import { within } from '../../revisions/opening.ts';
import type { ManagedServer } from '../managed-server.ts';
import type { ModelTool } from '../model.ts';
import type { Hint, Offer, Toolbox } from './toolbox.ts';
import { resultBlocks } from './untrusted.ts';

/** Whoever has not answered by then may be there at the next turn. */
const DEADLINE_MS = 5_000;
/** What providers take. */
const MAX_ALIAS = 64;

/** A tool by its name in the catalogue, and by one that models may use. */
interface Aliased extends ModelTool {
  readonly alias: string;
  readonly server: string;
}

interface Listed {
  readonly tools: readonly Aliased[];
  readonly hints: readonly Hint[];
}

export class ListedTools implements Toolbox {
  readonly #servers: ReadonlyMap<string, ManagedServer>;
  readonly #clock: Clock;

  constructor(servers: ReadonlyMap<string, ManagedServer>, clock: Clock) {
    this.#servers = servers;
    this.#clock = clock;
  }

  async open(_prompt: string, signal: AbortSignal): Promise<Offer> {
    const found = new Map<string, Listed>();
    const listing = [...this.#servers.values()].map(async (server) => {
      const listed = await list(server, signal).catch(() => undefined);
      if (listed !== undefined) found.set(server.label, listed);
    });
    await within(DEADLINE_MS, this.#clock, Promise.all(listing));
    signal.throwIfAborted();
    const all = [...this.#servers.keys()].flatMap((label) => found.get(label) ?? []);
    const tools = aliased(all.flatMap((one) => one.tools));
    return offerOf(
      tools,
      all.flatMap(({ hints }) => hints),
    );
  }
}

function offerOf(tools: readonly Aliased[], hints: readonly Hint[]): Offer {
  const byAlias = new Map(tools.map((tool) => [tool.alias, tool]));
  const servers = new Map(tools.map((tool) => [tool.name, tool.server]));
  return {
    tools: tools.map(({ alias, description, inputSchema }) => ({ name: alias, description, inputSchema })),
    hints,
    async want(alias, args) {
      const tool = byAlias.get(alias);
      if (tool !== undefined) return { name: tool.name, server: tool.server, arguments: args };
      const what = `The tool ${JSON.stringify(alias).slice(0, MAX_ALIAS)}`;
      throw new McpError('MCP_BAD_DEFINITION', { what, why: 'there is none such' });
    },
    show: (name, content) => resultBlocks(servers.get(name) ?? '', content),
  };
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
function aliased(tools: readonly Aliased[]): readonly Aliased[] {
  const taken = new Set<string>();
  return tools.map((tool) => {
    let { alias } = tool;
    for (let n = 2; taken.has(alias); n++) alias = `${tool.alias.slice(0, MAX_ALIAS - 4)}_${n}`;
    taken.add(alias);
    return { ...tool, alias };
  });
}
