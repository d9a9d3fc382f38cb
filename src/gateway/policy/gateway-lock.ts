/** Definitions of upstreams, pinned in `mcp.lock` and compared with what they list now. */
import { Lock } from '../../host/lock/lock.ts';
import type { LockItem } from '../../host/lock/lock-item.ts';
import { namesOfOthers, type OtherServers } from '../../host/text/other-servers.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import type { Clock } from '../../peer/clock.ts';
import type { ExposedPart, PartKind } from '../contract.ts';

export interface GatewayLockSettings {
  readonly path?: string | undefined;
  readonly clock: Clock;
  readonly onWarning: (warning: string) => void;
}

/** All that an upstream lists of one kind. */
export interface UpstreamDefinitions {
  readonly label: string;
  readonly kind: PartKind;
  /** The URL or command, as `mooring lock` shows it. */
  readonly address: string;
  /** What it calls itself. */
  readonly claims: string;
  readonly definitions: ReadonlyMap<string, JsonObject>;
}

export class GatewayLock {
  readonly #lock: Lock;
  /** The tools of each upstream: text of one that speaks of another's is noticed. */
  readonly #tools: Map<string, ReadonlySet<string>> = new Map();
  readonly #others: Map<string, OtherServers> = new Map();

  constructor(settings: GatewayLockSettings) {
    this.#lock = new Lock(settings);
  }

  /** Another number whenever the status of a part may be another. */
  get version(): number {
    return this.#lock.version;
  }

  /** Approvals that were written since, as by `mooring lock approve`, count from here on. */
  async record({ label, kind, definitions, ...about }: UpstreamDefinitions): Promise<void> {
    if (kind === 'resource') return;
    await this.#lock.refresh();
    const items = [...definitions].map(([key, definition]) => ({ kind, server: label, key, definition }));
    await this.#lock.record({ ...about, server: label, kind, items });
    if (kind !== 'tool') return;
    this.#tools.set(label, new Set(definitions.keys()));
    this.#others.clear();
  }

  /** Resources are content that comes and goes: they have none. */
  statusOf({ label, kind, key, definition }: Omit<ExposedPart, 'name'>): ExposedPart['status'] {
    if (kind === 'resource') return undefined;
    const item: LockItem = { kind, server: label, key, definition };
    return this.#lock.check(item, this.#othersOf(label)).status;
  }

  #othersOf(label: string): OtherServers {
    const known = this.#others.get(label);
    if (known !== undefined) return known;
    const others = [...this.#tools].filter(([one]) => one !== label);
    const names = namesOfOthers(
      others.map(([one]) => one),
      others.flatMap(([, tools]) => [...tools]),
      this.#tools.get(label) ?? new Set(),
    );
    this.#others.set(label, names);
    return names;
  }
}
