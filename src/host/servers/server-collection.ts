/** The servers of a host: a map by label that changes while the host runs. */
import { McpError } from '../../errors.ts';
import { checkLabel } from '../config/labels.ts';
import type { ServerSource } from '../config/source.ts';
import type { ManagedServer } from './managed-server.ts';
import type { ServerContext } from './server-context.ts';
import { SupervisedServer } from './supervised-server.ts';

/** What happened to a server of a host. */
export interface ServerChange {
  readonly kind: 'added' | 'removed' | 'disabled' | 'enabled';
  readonly label: string;
  readonly server: ManagedServer;
}

/** The servers of a host by label. They can be added, removed, restarted and disabled at any time; sessions see the change. */
export interface HostServers extends ReadonlyMap<string, ManagedServer> {
  /** Adds a server under a label that no other has. The server is opened when it is first needed, through the gate. */
  add(label: string, source: ServerSource): ManagedServer;
  /** Takes a server out and stops it. Its open calls fail with `MCP_CLOSED`. Approvals of it do not hold for another command or URL. */
  remove(label: string): Promise<void>;
  /** Closes a server and opens it again, through the gate. Its open calls fail with `MCP_CLOSED`. */
  restart(label: string): Promise<void>;
  /** Stops a server and keeps it in the list. Its parts leave the catalogue, and calls fail with `MCP_CLOSED` until it is enabled. */
  disable(label: string): Promise<void>;
  /** Lets a disabled server be opened again, when it is next needed. */
  enable(label: string): void;
  /** Calls back after each change, until the returned function is called. */
  onChange(listener: (change: ServerChange) => void): () => void;
}

export class ServerCollection implements HostServers {
  readonly #servers: Map<string, SupervisedServer> = new Map();
  readonly #context: ServerContext;
  readonly #listeners: Set<(change: ServerChange) => void> = new Set();
  #closed = false;

  constructor(sources: Readonly<Record<string, ServerSource>>, context: ServerContext) {
    this.#context = context;
    for (const [label, source] of Object.entries(sources)) this.add(label, source);
  }

  add(label: string, source: ServerSource): ManagedServer {
    checkLabel(label);
    if (this.#closed) throw new McpError('MCP_CLOSED', { why: 'the host was closed' });
    if (this.#servers.has(label)) throw badLabel(label, 'another server of this host has it; remove that one first');
    const server = new SupervisedServer(label, source, this.#context);
    this.#servers.set(label, server);
    this.#notify('added', server);
    return server;
  }

  async remove(label: string): Promise<void> {
    const server = this.#find(label);
    this.#servers.delete(label);
    const stopped = server.stop('was removed from its host');
    this.#notify('removed', server);
    await stopped;
  }

  async restart(label: string): Promise<void> {
    await this.#find(label).restart();
  }

  async disable(label: string): Promise<void> {
    const server = this.#find(label);
    const disabled = server.disable();
    this.#notify('disabled', server);
    await disabled;
  }

  enable(label: string): void {
    const server = this.#find(label);
    if (server.state !== 'disabled') return;
    server.enable();
    this.#notify('enabled', server);
  }

  onChange(listener: (change: ServerChange) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Stops all servers at once. None can be added any more. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#listeners.clear();
    await Promise.allSettled([...this.#servers.values()].map((server) => server.stop()));
  }

  get size(): number {
    return this.#servers.size;
  }

  get(label: string): SupervisedServer | undefined {
    return this.#servers.get(label);
  }

  has(label: string): boolean {
    return this.#servers.has(label);
  }

  keys(): MapIterator<string> {
    return this.#servers.keys();
  }

  values(): MapIterator<SupervisedServer> {
    return this.#servers.values();
  }

  entries(): MapIterator<[string, SupervisedServer]> {
    return this.#servers.entries();
  }

  [Symbol.iterator](): MapIterator<[string, SupervisedServer]> {
    return this.#servers.entries();
  }

  forEach(run: (server: ManagedServer, label: string, servers: HostServers) => void): void {
    for (const [label, server] of this.#servers) run(server, label, this);
  }

  #find(label: string): SupervisedServer {
    const server = this.#servers.get(label);
    if (server === undefined)
      throw badLabel(label, `no server of this host has it; there are ${[...this.keys()].join(', ')}`);
    return server;
  }

  #notify(kind: ServerChange['kind'], server: SupervisedServer): void {
    for (const listener of [...this.#listeners]) listener({ kind, label: server.label, server });
  }
}

const badLabel = (label: string, why: string): McpError =>
  new McpError('MCP_BAD_DEFINITION', { what: `The label ${JSON.stringify(label.slice(0, 200))}`, why });
