/** Finds what a session names: a tool or a prompt behind the label of its server, a resource by its URI. */
import { McpError } from '../errors.ts';
import { canonical } from '../model/canonical.ts';
import type { Act } from './act.ts';
import { sha256 } from './binding.ts';
import { claimsOf } from './claims.ts';
import type { ManagedServer } from './managed-server.ts';

/** What an act is about, with the facts that are known of it. */
export interface Found {
  readonly server: ManagedServer;
  /** As the server calls it. */
  readonly name: string;
  readonly facts: Pick<Act, 'claimed' | 'openWorld' | 'definition' | 'standing'>;
  readonly warnings: readonly string[];
  /** It may be used as it is defined now; resolves when that is written down. */
  agreed?(): Promise<void>;
}

export interface Directory {
  tool(name: string, signal?: AbortSignal): Promise<Found>;
  prompt(name: string, signal?: AbortSignal): Promise<Found>;
  resource(server: string, uri: string): Promise<Found>;
}

/** A label has no dot, so the first one ends it, whatever comes after. */
export class LabelDirectory implements Directory {
  readonly #servers: ReadonlyMap<string, ManagedServer>;

  constructor(servers: ReadonlyMap<string, ManagedServer>) {
    this.#servers = servers;
  }

  async tool(full: string, signal?: AbortSignal): Promise<Found> {
    const { server, name } = this.#split(full);
    const client = await server.client(signal);
    const tool = (await client.list('tools', { signal }).all()).find((one) => one.name === name);
    if (tool === undefined) throw unknown('tool', full);
    const facts = { ...claimsOf(tool.annotations), definition: sha256(canonical(tool)) };
    return { server, name, facts, warnings: [] };
  }

  async prompt(full: string, signal?: AbortSignal): Promise<Found> {
    const { server, name } = this.#split(full);
    const client = await server.client(signal);
    const prompt = (await client.list('prompts', { signal }).all()).find((one) => one.name === name);
    if (prompt === undefined) throw unknown('prompt', full);
    return { server, name, facts: { ...reading, definition: sha256(canonical(prompt)) }, warnings: [] };
  }

  async resource(label: string, uri: string): Promise<Found> {
    return { server: this.#server(label, label), name: uri, facts: reading, warnings: [] };
  }

  #split(full: string): { server: ManagedServer; name: string } {
    const dot = full.indexOf('.');
    return { server: this.#server(full.slice(0, Math.max(0, dot)), full), name: full.slice(dot + 1) };
  }

  #server(label: string, named: string): ManagedServer {
    const server = this.#servers.get(label);
    if (server === undefined) throw unknown('server', named);
    return server;
  }
}

const reading = { claimed: 'read', openWorld: false } as const;

const unknown = (kind: string, name: string): McpError =>
  new McpError('MCP_BAD_DEFINITION', { what: `The ${kind} ${JSON.stringify(name)}`, why: 'this host has none such' });
