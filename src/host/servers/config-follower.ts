/** Follows configuration files: servers are added, replaced and removed as their entries are. */
import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import { followLinks } from '../../files/replace-file.ts';
import { canonicalJson } from '../../model/canonical.ts';
import { networkReason } from '../../model/printable.ts';
import type { Clock } from '../../peer/clock.ts';
import { type ConfigReport, expandHome, readConfig, sameSource } from '../config/read-config.ts';
import type { FollowedConfig, HostServers } from './host-servers.ts';
import type { SupervisedServer } from './supervised-server.ts';

/** An editor writes a file in several steps. */
const DEBOUNCE_MS = 100;
/** Where the system reports no changes, such as a folder that does not exist yet. */
const POLL_MS = 5_000;

type ConfigSource = ConfigReport['servers'][string];

interface FollowedServers extends Pick<HostServers, 'keys' | 'has' | 'add' | 'remove' | 'disable'> {
  get(label: string): Pick<SupervisedServer, 'source' | 'state'> | undefined;
}

export class ConfigFollower implements FollowedConfig {
  readonly #files: readonly string[];
  readonly #servers: FollowedServers;
  readonly #clock: Clock;
  readonly #warn: (warning: string) => void;
  readonly #watchers: FSWatcher[] = [];
  #applied: ReadonlyMap<string, ConfigSource> = new Map();
  #applying: Promise<void> = Promise.resolve();
  #cancel: (() => void) | undefined;
  #closed = false;

  constructor(
    files: readonly string[],
    { servers, clock, warn }: { servers: FollowedServers; clock: Clock; warn: (warning: string) => void },
  ) {
    this.#files = files.map(expandHome);
    this.#servers = servers;
    this.#clock = clock;
    this.#warn = warn;
  }

  /** Watches before the first reading, so that no change falls between the two. */
  async start(): Promise<void> {
    const links = await Promise.all(this.#files.map((file) => followLinks(file).catch(() => file)));
    const names = new Map<string, Set<string>>();
    for (const file of [...this.#files, ...links])
      names.set(dirname(file), (names.get(dirname(file)) ?? new Set()).add(basename(file)));
    for (const [folder, files] of names) this.#watch(folder, files);
    await this.reload();
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
    this.#cancel?.();
    for (const watcher of this.#watchers) watcher.close();
    await this.#applying;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** The folder, not the file: editors and `writeConfig` replace a file by another one. */
  #watch(folder: string, files: ReadonlySet<string>): void {
    try {
      const watcher = watch(folder, { persistent: false }, (_, name) => {
        if (name === null || files.has(name)) this.#reloadIn(DEBOUNCE_MS);
      });
      this.#watchers.push(watcher.on('error', () => this.#poll()));
    } catch {
      this.#poll();
    }
  }

  #poll(): void {
    const look = (): void => {
      if (this.#closed) return;
      this.#reloadIn(0);
      this.#poll();
    };
    this.#clock.after(POLL_MS, look, { idle: true });
  }

  #reloadIn(ms: number): void {
    this.#cancel?.();
    if (!this.#closed) this.#cancel = this.#clock.after(ms, () => void this.reload(), { idle: true });
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
      const why = 'this host has another one of that label';
      return this.#warn(`The server "${label}" of ${source.from?.file} was not added: ${why}`);
    }
    const isDisabled = this.#servers.get(label)?.state === 'disabled';
    if (own !== undefined) await this.#servers.remove(label);
    this.#servers.add(label, source);
    if (isDisabled) await this.#servers.disable(label);
  }

  /** The definition of a server that came from these files. */
  #ownSource(label: string): ConfigSource | undefined {
    const source = this.#servers.get(label)?.source;
    if (typeof source !== 'object' || !('from' in source) || source.from === undefined) return undefined;
    return this.#files.includes(source.from.file) ? source : undefined;
  }
}

/** The line of an entry can change without the server being another one. */
const isSame = (one: ConfigSource | undefined, other: ConfigSource): boolean =>
  one !== undefined &&
  sameSource(one, other) &&
  canonicalJson(one.from?.inputs ?? []) === canonicalJson(other.from?.inputs ?? []);
