/** Implements `HostServers`: adds, removes, restarts and disables the servers of a host. */
import { badDefinition, McpError } from '../../errors.ts';
import { systemClock } from '../../peer/clock.ts';
import { missingError } from '../act/missing-error.ts';
import { checkLabel } from '../config/labels.ts';
import type { ServerSource } from '../config/source.ts';
import { ConfigFollower } from './config-follower.ts';
import type { FollowedConfig, HostServers, ServerChange } from './host-servers.ts';
import type { ServerContext } from './server-context.ts';
import { SupervisedServer } from './supervised-server.ts';

export class ServerCollection implements HostServers {
  readonly #servers: Map<string, SupervisedServer> = new Map();
  readonly #context: ServerContext;
  readonly #listeners: Set<(change: ServerChange) => void> = new Set();
  readonly #followers: Set<ConfigFollower> = new Set();
  readonly #warn: (warning: string) => void;
  #closed = false;

  constructor(
    sources: Readonly<Record<string, ServerSource>>,
    context: ServerContext,
    warn: (warning: string) => void,
  ) {
    this.#context = context;
    this.#warn = warn;
    for (const [label, source] of Object.entries(sources)) this.add(label, source);
  }

  add(label: string, source: ServerSource): SupervisedServer {
    checkLabel(label);
    if (this.#closed) throw closedHost();
    if (this.#servers.has(label))
      throw badDefinition(`The label "${label}"`, 'another server of this host has it; remove that one first');
    const server = new SupervisedServer(label, source, this.#context);
    this.#servers.set(label, server);
    this.#notify('added', server);
    return server;
  }

  async remove(label: string): Promise<void> {
    const server = this.find(label);
    this.#servers.delete(label);
    const stopped = server.stop('was removed from its host');
    this.#notify('removed', server);
    await stopped;
  }

  async restart(label: string): Promise<void> {
    await this.find(label).restart();
  }

  async disable(label: string): Promise<void> {
    const server = this.find(label);
    if (server.state === 'disabled' || server.state === 'stopped') return;
    const disabled = server.disable();
    this.#notify('disabled', server);
    await disabled;
  }

  enable(label: string): void {
    const server = this.find(label);
    if (server.state !== 'disabled') return;
    server.enable();
    this.#notify('enabled', server);
  }

  async follow(...files: readonly string[]): Promise<FollowedConfig> {
    if (this.#closed) throw closedHost();
    const { clock = systemClock } = this.#context.connect;
    const follower = new ConfigFollower(files, { servers: this, clock, warn: this.#warn });
    this.#followers.add(follower);
    await follower.start();
    return follower;
  }

  onChange(listener: (change: ServerChange) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Stops all servers in parallel. After that, no server can be added. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#listeners.clear();
    const followers = [...this.#followers].map((follower) => follower.close());
    await Promise.allSettled([...followers, ...[...this.#servers.values()].map((server) => server.stop())]);
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

  forEach(run: (server: SupervisedServer, label: string, servers: ServerCollection) => void): void {
    for (const [label, server] of this.#servers) run(server, label, this);
  }

  find(label: string): SupervisedServer {
    const server = this.#servers.get(label);
    if (server === undefined) throw missingError('server', label, [...this.keys()]);
    return server;
  }

  #notify(kind: ServerChange['kind'], server: SupervisedServer): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener({ kind, label: server.label, server });
      } catch (error) {
        this.#warn(`A listener to changes of servers threw ${String(error)}`);
      }
    }
  }
}

const closedHost = (): McpError => new McpError('MCP_CLOSED', { why: 'the host was closed' });
