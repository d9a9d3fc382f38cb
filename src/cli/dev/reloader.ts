/** Reloads a module: starts the new version, drains the old one, and prints what changed. */
import { messageOf } from '../../errors.ts';
import { printable, printableIndented } from '../../model/printable.ts';
import type { CommandContext } from '../command.ts';
import type { ModuleFile } from '../module/load-server.ts';
import { countOf } from '../printer.ts';
import { changesBetween, changeText, listChanges, type OfferChange } from './changes.ts';
import { ReloadableServer } from './reloadable-server.ts';
import { type RunningVersion, startVersion } from './version-process.ts';
import type { VersionOffer } from './wire.ts';

export class Reloader {
  readonly server: ReloadableServer;
  readonly #module: ModuleFile;
  readonly #by: CommandContext;
  readonly #running: Set<RunningVersion> = new Set();
  #current: RunningVersion | undefined;
  /** Lists of the last version, kept after its process exits. */
  #offer: VersionOffer | undefined;
  #loading: Promise<void> | undefined;
  #again = false;
  #isClosed = false;
  /** The current code cannot be loaded, so requests do not trigger another attempt until it changes. */
  #broken = false;

  constructor(module: ModuleFile, by: CommandContext) {
    this.#module = module;
    this.#by = by;
    this.server = new ReloadableServer(() => {
      if (!this.#broken && this.#loading === undefined) void this.reload();
    });
  }

  /** Loads the current code. Serialized: a change during a reload triggers one more reload. */
  reload(): Promise<void> {
    this.#again = this.#loading !== undefined;
    this.#loading ??= this.#load().finally(() => {
      this.#loading = undefined;
      if (this.#again) void this.reload();
    });
    return this.#loading;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#running].map((one) => one.end()));
    await this.#loading;
  }

  async #load(): Promise<void> {
    const { shell, print } = this.#by;
    if (this.#isClosed) return;
    const begun = shell.clock.now();
    try {
      const next = await startVersion(this.#module, shell);
      this.#running.add(next);
      this.#broken = false;
      void next.exited.then((how) => this.#onExit(next, how));
      this.#switchTo(next, Math.round(shell.clock.now() - begun));
    } catch (thrown) {
      if (this.#isClosed || shell.signal.aborted) return;
      this.#broken = true;
      const why = printableIndented(messageOf(thrown));
      const what = this.#offer === undefined ? 'load failed' : 'reload failed';
      const rest = this.#current === undefined ? 'waiting for a change' : 'still serving the previous version';
      print.note(`${print.style('red', what, 'stderr')} ${why}\n  ${rest}`);
      print.event({ event: 'broken', why });
    }
  }

  #switchTo(next: RunningVersion, ms: number): void {
    const before = this.#current;
    const { offer } = next.version;
    const changes = this.#offer === undefined ? undefined : changesBetween(this.#offer, offer);
    this.#current = next;
    this.#offer = offer;
    this.server.swap(next.version, listChanges(changes ?? []));
    this.#report(offer, changes, ms);
    if (before !== undefined) void before.version.drained().then(() => before.end());
  }

  #onExit(one: RunningVersion, how: string): void {
    this.#running.delete(one);
    this.server.drop(one.version);
    if (this.#current !== one) return;
    this.#current = undefined;
    if (this.#isClosed || this.#by.shell.signal.aborted) return;
    const { print } = this.#by;
    print.note(`${print.style('red', 'exited', 'stderr')} server process (${how}); the next request restarts it`);
    print.event({ event: 'ended', how });
  }

  #report(offer: VersionOffer, changes: readonly OfferChange[] | undefined, ms: number): void {
    const { print } = this.#by;
    const { tools, resources, prompts } = offer;
    if (changes === undefined) {
      const counted = [
        countOf(tools.length, 'tool'),
        countOf(resources.length, 'resource'),
        countOf(prompts.length, 'prompt'),
      ].join(', ');
      print.note(`${print.style('green', 'ready', 'stderr')} ${printable(offer.name)}: ${counted} (${ms} ms)`);
      print.event({ event: 'ready', name: offer.name, ms });
      return;
    }
    const said = changes.length === 0 ? 'the same tools, resources and prompts' : changes.map(changeText).join('; ');
    print.note(`${print.style('green', 'reloaded', 'stderr')} ${said} (${ms} ms)`);
    print.event({ event: 'reloaded', changes, ms });
  }
}
