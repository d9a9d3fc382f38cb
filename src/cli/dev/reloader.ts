/** Goes from one version of a module to the next: starts the new one, lets the old one finish, says what changed. */
import { messageOf } from '../../errors.ts';
import { printable } from '../../model/printable.ts';
import type { CommandContext } from '../command.ts';
import type { ModuleFile } from '../module/load-server.ts';
import { countOf, sanitizeIndented } from '../printer.ts';
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
  /** What the last version offered, also when its process is gone. */
  #offer: VersionOffer | undefined;
  #loading: Promise<void> | undefined;
  #again = false;
  #over = false;
  /** The code that is there cannot be loaded: trying again before it changes is of no use. */
  #broken = false;

  constructor(module: ModuleFile, by: CommandContext) {
    this.#module = module;
    this.#by = by;
    this.server = new ReloadableServer(() => {
      if (!this.#broken && this.#loading === undefined) void this.reload();
    });
  }

  /** To the code that is there now. One at a time; what changes meanwhile is loaded next. */
  reload(): Promise<void> {
    this.#again = this.#loading !== undefined;
    this.#loading ??= this.#load().finally(() => {
      this.#loading = undefined;
      if (this.#again) void this.reload();
    });
    return this.#loading;
  }

  async close(): Promise<void> {
    this.#over = true;
    await Promise.all([...this.#running].map((one) => one.end()));
    await this.#loading;
  }

  async #load(): Promise<void> {
    const { shell, print } = this.#by;
    if (this.#over) return;
    const begun = shell.clock.now();
    try {
      const next = await startVersion(this.#module, shell);
      this.#running.add(next);
      this.#broken = false;
      void next.gone.then((how) => this.#gone(next, how));
      this.#take(next, Math.round(shell.clock.now() - begun));
    } catch (thrown) {
      if (this.#over || shell.signal.aborted) return;
      this.#broken = true;
      const why = sanitizeIndented(messageOf(thrown));
      const rest = this.#current === undefined ? 'waiting for a change' : 'still serving the previous version';
      print.note(`${print.style('red', 'reload failed', 'stderr')} ${why}\n  ${rest}`);
      print.event({ event: 'broken', why });
    }
  }

  #take(next: RunningVersion, ms: number): void {
    const before = this.#current;
    const { offer } = next.version;
    const changes = this.#offer === undefined ? undefined : changesBetween(this.#offer, offer);
    this.#current = next;
    this.#offer = offer;
    this.server.swap(next.version, listChanges(changes ?? []));
    this.#tell(offer, changes, ms);
    if (before !== undefined) void before.version.drained().then(() => before.end());
  }

  #gone(one: RunningVersion, how: string): void {
    this.#running.delete(one);
    this.server.lost(one.version);
    if (this.#current !== one) return;
    this.#current = undefined;
    if (this.#over || this.#by.shell.signal.aborted) return;
    const { print } = this.#by;
    print.note(
      `${print.style('red', 'ended', 'stderr')} the server's process is gone (${how}); the next request starts it again`,
    );
    print.event({ event: 'ended', how });
  }

  #tell(offer: VersionOffer, changes: readonly OfferChange[] | undefined, ms: number): void {
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
