/** Watches configuration files, and adds, replaces and removes servers when their entries change. */
import { FileWatch } from '../../files/file-watch.ts';
import { canonicalJson } from '../../model/canonical.ts';
import { networkReason } from '../../model/printable.ts';
import type { Clock } from '../../peer/clock.ts';
import { type ConfigReport, isSameSource, readConfig, resolveConfig } from '../config/read-config.ts';
import type { FollowedConfig, HostServers } from './host-servers.ts';
import type { SupervisedServer } from './supervised-server.ts';

type ConfigSource = ConfigReport['servers'][string];

interface FollowedServers extends Pick<HostServers, 'keys' | 'has' | 'add' | 'remove' | 'disable'> {
  get(label: string): Pick<SupervisedServer, 'source' | 'state'> | undefined;
}

export class ConfigFollower implements FollowedConfig {
  readonly #files: readonly string[];
  readonly #servers: FollowedServers;
  readonly #warn: (warning: string) => void;
  readonly #watch: FileWatch;
  #applied: ReadonlyMap<string, ConfigSource> = new Map();
  #applying: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(
    files: readonly string[],
    { servers, clock, warn }: { servers: FollowedServers; clock: Clock; warn: (warning: string) => void },
  ) {
    this.#files = files.map(resolveConfig);
    this.#servers = servers;
    this.#warn = warn;
    this.#watch = new FileWatch(() => this.#files, clock);
  }

  /** Starts watching before the first read, so that no change in between is missed. */
  async start(): Promise<void> {
    await this.#watch.open();
    await this.reload();
    if (!this.#closed) this.#watch.start(() => void this.reload());
  }

  reload(): Promise<void> {
    this.#applying = this.#applying
      .then(() => this.#apply())
      .catch((error: unknown) =>
        this.#warn(`The servers of ${this.#files.join(', ')} were not updated: ${networkReason(error)}`),
      );
    return this.#applying;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#watch.close();
    await this.#applying;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #apply(): Promise<void> {
    const { servers, notes, faults } = await readConfig(...this.#files);
    if (this.#closed) return;
    if (faults.length > 0) {
      for (const { message } of faults) this.#warn(`${message}. The servers stay as they were`);
      return;
    }
    for (const note of notes) this.#warn(note);
    const before = this.#applied;
    this.#applied = new Map(Object.entries(servers));
    for (const label of [...this.#servers.keys()])
      if (!this.#applied.has(label) && this.#ownSource(label) !== undefined) await this.#servers.remove(label);
    for (const [label, source] of this.#applied) if (!isSame(before.get(label), source)) await this.#put(label, source);
  }

  async #put(label: string, source: ConfigSource): Promise<void> {
    const own = this.#ownSource(label);
    if (this.#closed || isSame(own, source)) return;
    if (own === undefined && this.#servers.has(label)) {
      const why = 'another server of this host has this label';
      return this.#warn(`The server "${label}" of ${source.from?.file} was not added: ${why}`);
    }
    const isDisabled = this.#servers.get(label)?.state === 'disabled';
    if (own !== undefined) await this.#servers.remove(label);
    this.#servers.add(label, source);
    if (isDisabled) await this.#servers.disable(label);
  }

  /** The definition of a server, if it is from these files. */
  #ownSource(label: string): ConfigSource | undefined {
    const source = this.#servers.get(label)?.source;
    if (typeof source !== 'object' || !('from' in source) || source.from === undefined) return undefined;
    return this.#files.includes(source.from.file) ? source : undefined;
  }
}

/** Compares entries without their line numbers, which change when other entries do. */
const isSame = (one: ConfigSource | undefined, other: ConfigSource): boolean =>
  one !== undefined &&
  isSameSource(one, other) &&
  canonicalJson(one.from?.inputs ?? []) === canonicalJson(other.from?.inputs ?? []);
