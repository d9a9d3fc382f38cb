/** Compares what upstreams list with the definitions pinned in `mcp.lock`. */
import type { DefinitionStatus } from '../../host/act/act.ts';
import { claimedName } from '../../host/act/claims.ts';
import { readItem } from '../../host/catalogue/read-item.ts';
import { Lock } from '../../host/lock/lock.ts';
import { quoteCommand } from '../../host/servers/quote-command.ts';
import { ServerNames } from '../../host/text/other-servers.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import type { Implementation } from '../../model/caller.ts';
import type { Prompt, ResourceTemplate, Tool } from '../../model/parts.ts';
import { displayUrl } from '../../model/printable.ts';
import type { Clock } from '../../peer/clock.ts';
import type { ExposedPart, PartKind } from '../contract.ts';

/** The lock file, and the treatment of definitions that it does not contain. */
export interface LockSpec {
  /** Written by `mooring lock`. Relative to the working directory. */
  readonly file: string;
  /** New definitions: `allow` (default), or `withhold` until they are approved. Changed ones are always withheld. */
  readonly new?: 'allow' | 'withhold';
}

/** One list of an upstream. */
export interface UpstreamOffer {
  readonly label: string;
  readonly kind: PartKind;
  /** From `lockAddress`. */
  readonly address: string;
  /** The upstream's own name and version. */
  readonly info: Implementation | undefined;
  readonly items: readonly JsonObject[];
}

/** How often the file is read again, to pick up approvals by other processes. */
const REFRESH_MS = 10_000;

type LockedKind = Exclude<PartKind, 'resource'>;
type LockedDefinition = Tool & Prompt & ResourceTemplate;

export class GatewayLock {
  readonly newParts: 'allow' | 'withhold';
  readonly #lock: Lock;
  readonly #clock: Clock;
  readonly #warn: (warning: string) => void;
  readonly #recorded: WeakSet<readonly JsonObject[]> = new WeakSet();
  /** Tool names by upstream, to detect a description that mentions another upstream's tool. */
  readonly #tools: Map<string, ReadonlySet<string>> = new Map();
  readonly #listeners: Set<() => void> = new Set();
  #names: ServerNames | undefined;
  #readAt: number;
  #reading: Promise<void> | undefined;

  constructor({ file, new: newParts = 'allow' }: LockSpec, clock: Clock, warn: (warning: string) => void) {
    this.newParts = newParts;
    this.#lock = new Lock({ path: file, clock, onWarning: warn });
    this.#clock = clock;
    this.#warn = warn;
    this.#readAt = clock.now();
  }

  /** Changes whenever the status of a part may have changed. */
  get version(): number {
    return this.#lock.version;
  }

  /** Reads the file again and again, and calls the listener when other processes have changed its approvals. */
  follow(listener: () => void): () => void {
    this.#listeners.add(listener);
    let stop: () => void = () => undefined;
    const schedule = (): void => {
      if (!this.#listeners.has(listener)) return;
      stop = this.#clock.after(REFRESH_MS, () => void this.#refresh().finally(schedule), { idle: true });
    };
    schedule();
    return () => {
      this.#listeners.delete(listener);
      stop();
    };
  }

  /** Whether the list has been compared. Until then, none of it is shown. */
  isRecorded(items: readonly JsonObject[]): boolean {
    return this.#recorded.has(items);
  }

  /** Compares lists with the lock. Rejects if the file is unusable. */
  async record(offers: readonly UpstreamOffer[]): Promise<void> {
    await this.#lock.ready();
    await this.#refresh();
    for (const offer of offers) if (!this.#recorded.has(offer.items)) await this.#recordOne(offer);
  }

  statusOf({
    label,
    kind,
    definition,
  }: Pick<ExposedPart, 'label' | 'kind' | 'definition'>): DefinitionStatus | undefined {
    // Resources are content, which changes all the time, so they are not pinned.
    if (kind === 'resource') return undefined;
    const item = readItem<LockedKind>(kind, label, definition as LockedDefinition); // the list of this kind contained it
    this.#names ??= new ServerNames(this.#tools);
    return 'rejected' in item ? 'suspicious' : this.#lock.check({ ...item, kind }, this.#names.othersOf(label)).status;
  }

  async #recordOne({ label: server, kind, address, info, items }: UpstreamOffer): Promise<void> {
    if (kind !== 'resource') {
      const read = items.map((item) => readItem<LockedKind>(kind, server, item as LockedDefinition)); // likewise
      const known = read.flatMap((item) => ('rejected' in item ? [] : [{ ...item, kind }]));
      await this.#lock.record({ server, kind, address, claims: claimedName(info), items: known });
      if (kind === 'tool') this.#tools.set(server, new Set(known.map(({ key }) => key)));
      this.#names = undefined;
    }
    this.#recorded.add(items);
  }

  /** Reads the file again if it is time to, and waits for a read that has begun. */
  #refresh(): Promise<void> {
    if (this.#reading === undefined && this.#clock.now() - this.#readAt >= REFRESH_MS)
      this.#reading = this.#read().finally(() => {
        this.#reading = undefined;
      });
    return this.#reading ?? Promise.resolve();
  }

  async #read(): Promise<void> {
    this.#readAt = this.#clock.now();
    const before = this.version;
    // The file may be half written: earlier approvals stay valid.
    await this.#lock
      .refresh()
      .catch((error: unknown) => this.#warn(`The lock file could not be read again: ${String(error)}`));
    if (this.version !== before) for (const listener of this.#listeners) listener();
  }
}

/** The URL or command as `mooring lock` records it; empty for a server in this process. */
export function lockAddress(target: unknown): string {
  const url = typeof target === 'string' || target instanceof URL ? String(target) : undefined;
  if (url !== undefined) return URL.canParse(url) ? displayUrl(new URL(url)) : url;
  const { command, args = [] } = target as { readonly command?: string; readonly args?: readonly string[] }; // or another target
  return command === undefined ? '' : quoteCommand([command, ...args]);
}
