/** The lock: stores definitions as first seen and as approved, and compares them with what servers offer now. */
import { resolve } from 'node:path';
import type { JsonObject } from '../../jsonrpc/message.ts';
import type { Clock } from '../../peer/clock.ts';
import type { HandshakeStore } from '../servers/handshake-hint.ts';
import type { NamesOfOthers } from '../text/other-servers.ts';
import { type CheckedDefinition, checkDefinition, type StatusWithReasons } from './check-definition.ts';
import { type LockChange, LockContent } from './lock-content.ts';
import { exceedsShare, type LockedServer, type LockedServers, MAX_SERVER_BYTES, type Pin } from './lock-file.ts';
import { hashForm, type LockItem, type LockItemKind, toPinnedForm } from './lock-item.ts';
import { portableAddress } from './portable-address.ts';

export interface LockOptions {
  /** The file, usually `mcp.lock`. Without it, pins are kept in memory. */
  readonly path?: string | undefined;
  /** Never writes the file; the host denies what is not approved. For machines without a user, such as CI. */
  readonly frozen?: boolean | undefined;
  readonly clock: Clock;
  readonly onWarning: (warning: string) => void;
}

/** All items of one kind that a server offers. */
export interface OfferedItems {
  readonly server: string;
  readonly kind: LockItemKind;
  /** The command or URL, as displayed. */
  readonly address: string;
  /** The name and version that the server claims. */
  readonly claims: string;
  readonly items: readonly LockItem[];
}

export interface DefinitionCheck extends StatusWithReasons {
  /** The hash of the current definition. */
  readonly definition: string;
}

/** Facts about the last list of one kind from one server. */
interface RecordedList {
  readonly address: string;
  readonly claims: string;
  /** Approved items that are not in the list. */
  readonly missing: readonly string[];
}

export class Lock implements HandshakeStore {
  readonly frozen: boolean;
  readonly #path: string | undefined;
  readonly #warn: (warning: string) => void;
  readonly #content: LockContent;
  #reading: Promise<void> | undefined;
  /** The last list of each server and kind. */
  readonly #lists: Map<string, RecordedList> = new Map();
  /** Labels of servers whose definitions exceeded `MAX_SERVER_BYTES`. */
  readonly #full: Set<string> = new Set();
  /** Results by definition, because lists are read often and change rarely. */
  readonly #checks: WeakMap<object, CachedCheck> = new WeakMap();
  #version = 0;

  constructor({ path, frozen = false, clock, onWarning }: LockOptions) {
    this.#path = path === undefined ? undefined : resolve(path);
    this.frozen = frozen;
    this.#warn = onWarning;
    const onChange = (): void => {
      this.#version++;
    };
    this.#content = new LockContent({ path: this.#path, clock, onWarning, onChange });
  }

  /** Increases whenever the status of an item may have changed. */
  get version(): number {
    return this.#version;
  }

  /** Reads the file, once. Rejects if it is unusable: overwriting it would lose all approvals. */
  ready(): Promise<void> {
    this.#reading ??= this.#content.read();
    return this.#reading;
  }

  /** Reads the file again, to pick up approvals by other processes. */
  async refresh(): Promise<void> {
    await this.ready();
    await this.#content.inTurn(async () => {
      const before = pinsText(this.#servers);
      await this.#content.read();
      if (pinsText(this.#servers) !== before) this.#version++;
    });
  }

  /** Records a server's list. New items are stored as seen, not as approved. */
  async record(offered: OfferedItems): Promise<void> {
    await this.ready();
    const { server, kind, claims, items } = offered;
    const address = this.#portable(offered.address);
    const known = this.#servers.get(server);
    const present = new Set(items.map(idOf));
    // Skills can be unlisted, so one that is not in the list is not missing.
    const missing = [...(known?.pins ?? [])].flatMap(([id, { approved }]) =>
      approved && kind !== 'skill' && id.startsWith(`${kind} `) && !present.has(id) ? [id] : [],
    );
    const unseen = items.filter((item) => known?.pins.has(idOf(item)) !== true);
    this.#remember(`${server} ${kind}`, { address, claims, missing });
    if (unseen.length === 0 || this.frozen) return;
    const replaced = missing.length === 0 ? {} : { replaces: missing };
    const withSeen = (before: LockedServer['pins']): LockedServer['pins'] => {
      const pins = new Map(before);
      for (const item of unseen)
        if (!pins.has(idOf(item))) pins.set(idOf(item), { ...pinOf(item, false), ...replaced });
      return pins;
    };
    if (exceedsShare(withSeen(known?.pins ?? new Map()))) return this.#markFull(server);
    await this.#change((servers) => {
      const before = servers.get(server) ?? { address, claims, pins: new Map() };
      return new Map(servers).set(server, { ...before, pins: withSeen(before.pins) });
    }).catch((error: unknown) =>
      this.#warn(`The lock file could not record the definitions of ${server}: ${String(error)}`),
    );
  }

  #remember(key: string, list: RecordedList): void {
    if (JSON.stringify(this.#lists.get(key)) === JSON.stringify(list)) return;
    this.#lists.set(key, list);
    this.#version++;
  }

  #markFull(server: string): void {
    if (this.#full.has(server)) return;
    this.#full.add(server);
    this.#version++;
    const advice =
      'further ones count as suspicious. Remove the entries of tools that it no longer offers (`mooring lock approve`)';
    this.#warn(`${server} has offered more than ${MAX_SERVER_BYTES / 1024 ** 2} MiB of definitions; ${advice}`);
  }

  /** The status of an item of a recorded list. */
  check(item: LockItem, others?: NamesOfOthers): DefinitionCheck {
    const cached = this.#checks.get(item.definition);
    // Items can share one definition object: a transport of the application can return it for two servers.
    const isOfItem = cached !== undefined && isSameItem(cached.item, item) && cached.others === others;
    if (isOfItem && cached.version === this.#version) return cached.check;
    const form = cached?.form ?? toPinnedForm(item.definition);
    const hash = cached?.check.definition ?? hashForm(form);
    const recorded = this.#recordedFor(item);
    const { pin, replaces, movedFrom, isLeftOut } = recorded;
    const basis = JSON.stringify([pin?.hash, pin?.approved, replaces, movedFrom, isLeftOut]);
    // Most version changes concern other items: the check is repeated only if its own basis changed.
    const isSame = isOfItem && cached.basis === basis;
    const check = isSame ? cached.check : { ...checkDefinition({ ...recorded, form, hash, others }), definition: hash };
    this.#checks.set(item.definition, { check, item, form, others, version: this.#version, basis });
    return check;
  }

  #recordedFor(item: LockItem): Pick<CheckedDefinition, 'pin' | 'replaces' | 'movedFrom' | 'isLeftOut'> {
    const server = this.#servers.get(item.server);
    const list = this.#listOf(item);
    const pin = server?.pins.get(idOf(item));
    const hasMoved = server !== undefined && list !== undefined && list.address !== server.address;
    const replaces = item.kind === 'view' ? [] : ((pin === undefined ? list?.missing : pin.replaces) ?? []);
    const isLeftOut = pin === undefined && item.kind !== 'view' && this.#full.has(item.server);
    return { pin, replaces, movedFrom: hasMoved ? server.address : undefined, isLeftOut };
  }

  /** Views have no list: tools name them, so the list of tools counts. */
  #listOf({ server, kind }: LockItem): RecordedList | undefined {
    return this.#lists.get(`${server} ${kind === 'view' ? 'tool' : kind}`);
  }

  /** Approves items in their current form. Writes the file once. */
  async accept(...items: readonly LockItem[]): Promise<void> {
    if (this.frozen || items.length === 0) return;
    await this.#change((servers) => {
      const after = new Map(servers);
      for (const item of items) after.set(item.server, this.#withAccepted(after.get(item.server), item));
      return after;
    });
  }

  #withAccepted(server: LockedServer | undefined, item: LockItem): LockedServer {
    const { address = '', claims = '' } = this.#listOf(item) ?? {};
    const hasMoved = server !== undefined && server.address !== address;
    // Approvals at another address were given to another server.
    const pins = hasMoved ? withoutApprovals(server.pins) : new Map(server?.pins);
    pins.set(idOf(item), pinOf(item, true));
    return { address, claims, ...(hasMoved ? {} : { handshake: server?.handshake }), pins };
  }

  /** Removes entries of a server, such as those of items that it no longer offers. */
  async forget(server: string, ids: readonly string[]): Promise<void> {
    if (this.frozen || ids.length === 0) return;
    this.#full.delete(server);
    const gone = new Set(ids);
    await this.#change((servers) => {
      const known = servers.get(server);
      if (known === undefined) return servers;
      const pins = new Map([...known.pins].filter(([id]) => !gone.has(id)));
      return new Map(servers).set(server, { ...known, pins });
    });
  }

  async recallHandshake(server: string, address: string): Promise<string | undefined> {
    // An unreadable file is reported where its approvals are needed.
    await this.ready().catch(() => undefined);
    const known = this.#servers.get(server);
    return known?.address === this.#portable(address) ? known.handshake : undefined;
  }

  /** Does nothing if the address differs from the recorded one: it may be another server. */
  async rememberHandshake(server: string, reached: string, name: string | undefined): Promise<void> {
    const address = this.#portable(reached);
    if (this.frozen || (name === undefined && !this.#servers.has(server))) return;
    await this.#change((servers) => {
      const first = name === undefined ? undefined : { address, claims: name, pins: new Map() };
      const known = servers.get(server) ?? first;
      return known?.address === address ? new Map(servers).set(server, { ...known, handshake: name }) : servers;
    }).catch((error: unknown) =>
      this.#warn(`The lock file could not record that ${server} needs a handshake: ${String(error)}`),
    );
  }

  #portable(address: string): string {
    return this.#path === undefined ? address : portableAddress(address, this.#path);
  }

  get #servers(): LockedServers {
    return this.#content.servers;
  }

  async #change(change: LockChange): Promise<void> {
    // A pending read would otherwise overwrite the change in memory.
    await this.ready();
    return this.#content.change(change);
  }
}

interface CachedCheck {
  readonly check: DefinitionCheck;
  readonly item: LockItem;
  readonly form: JsonObject;
  readonly others: NamesOfOthers | undefined;
  readonly version: number;
  /** Everything else that the check depends on, as text. */
  readonly basis: string;
}

/** Without the definitions, whose members the file sorts, and without an order of servers and pins. The hash says what is pinned. */
const pinsText = (servers: LockedServers): string =>
  JSON.stringify(
    [...servers]
      .flatMap(([label, { pins }]) =>
        [...pins].map(([id, { approved, hash, replaces }]) => JSON.stringify([label, id, approved, hash, replaces])),
      )
      .toSorted(),
  );

const withoutApprovals = (pins: LockedServer['pins']): Map<string, Pin> =>
  new Map([...pins].map(([id, pin]) => [id, { ...pin, approved: false }]));

const isSameItem = (one: LockItem, other: LockItem): boolean =>
  one.server === other.server && one.kind === other.kind && one.key === other.key;

const idOf = ({ kind, key }: LockItem): string => `${kind} ${key}`;

function pinOf({ definition }: LockItem, approved: boolean): Pin {
  const form = toPinnedForm(definition);
  return { approved, hash: hashForm(form), definition: form };
}
