/**
 * What servers offered when they were first met, and what they offer now. Who relied on a definition hears of every change to
 * it before it is used, and how bad it is.
 */
import { resolve } from 'node:path';
import { whileLocked } from '../../files/file-lock.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import type { Clock } from '../../peer/clock.ts';
import type { DefinitionStatus } from '../act/act.ts';
import { hostFileError } from '../act/file-error.ts';
import type { HandshakeStore } from '../servers/handshake-hint.ts';
import { findingSentence, findOddities } from '../text/inspect.ts';
import type { OtherServers } from '../text/other-servers.ts';
import { worst } from './change.ts';
import { type Former, FormerParts } from './former-parts.ts';
import { type Grade, grade } from './grade.ts';
import { type Pin, type Pinned, type PinnedServer, readLock, writeLock } from './lock-file.ts';
import { hashOf, type Pinnable, type PinnedKind, pinnedForm } from './pinnable.ts';
import { portableAddress } from './portable-address.ts';
import { textsIn } from './texts.ts';

export interface LockOptions {
  /** The file, `mcp.lock` as a rule. Without, what is seen is remembered as long as the host lives. */
  readonly path?: string | undefined;
  /** Nothing is written, and what is not pinned is denied: for machines that nobody watches. */
  readonly frozen?: boolean | undefined;
  readonly clock: Clock;
  readonly onWarning: (warning: string) => void;
}

/** What a server offers of a kind, all of it. */
export interface OfferedItems {
  readonly server: string;
  readonly kind: PinnedKind;
  /** The command or the address, as it was shown. */
  readonly address: string;
  /** What it calls itself. */
  readonly claims: string;
  readonly parts: readonly Pinnable[];
}

export interface DefinitionCheck extends Grade {
  /** The hash of the definition as it is now. */
  readonly definition: string;
}

interface Present {
  readonly address: string;
  readonly claims: string;
  readonly parts: ReadonlySet<string>;
  /** What is approved and not among the parts, as of this version of what is pinned. */
  gone?: { readonly version: number; readonly former: FormerParts };
}

export class Lock implements HandshakeStore {
  readonly frozen: boolean;
  readonly #path: string | undefined;
  readonly #clock: Clock;
  readonly #warn: (warning: string) => void;
  #pinned: Pinned = new Map();
  #reading: Promise<void> | undefined;
  #writing: Promise<void> = Promise.resolve();
  /** By label and kind. */
  readonly #present: Map<string, Present> = new Map();
  /** Lists are asked for often, and change seldom. */
  readonly #judged: WeakMap<object, LockJudgement> = new WeakMap();
  #version = 0;

  constructor({ path, frozen = false, clock, onWarning }: LockOptions) {
    this.#path = path === undefined ? undefined : resolve(path);
    this.#clock = clock;
    this.frozen = frozen;
    this.#warn = onWarning;
  }

  /** Reads the file, once. Throws when it cannot be used: nobody overwrites what may be all that is known. */
  ready(): Promise<void> {
    this.#reading ??= this.#read();
    return this.#reading;
  }

  /** A server was met. What was never seen before is written down as seen, and not as approved. */
  async record(contact: OfferedItems): Promise<void> {
    await this.ready();
    const { server, kind, claims, parts } = contact;
    const address = this.#portable(contact.address);
    this.#version++;
    this.#present.set(`${server} ${kind}`, { address, claims, parts: new Set(parts.map(idOf)) });
    const known = this.#pinned.get(server);
    const unseen = parts.filter((part) => known?.pins.has(idOf(part)) !== true);
    if (unseen.length === 0 || this.frozen) return;
    await this.#change((pinned) => {
      const before = pinned.get(server) ?? { address, claims, pins: new Map() };
      const pins = new Map(before.pins);
      for (const part of unseen) if (!pins.has(idOf(part))) pins.set(idOf(part), pinOf(part, false));
      return new Map(pinned).set(server, { ...before, pins });
    }).catch((error: unknown) => this.#warn(`What ${server} offers was not written down: ${String(error)}`));
  }

  /** How a part stands now. Needs `ready`, and to be met. */
  check(part: Pinnable, others?: OtherServers): DefinitionCheck {
    const known = this.#judged.get(part.definition);
    if (known?.version === this.#version && known.others === others) return known.judgement;
    const form = known?.form ?? pinnedForm(part.definition);
    const definition = known?.judgement.definition ?? hashOf(form);
    const comparing = this.#comparing(part, form, definition, others);
    // What was pinned or approved meanwhile is most often about other parts.
    const isSame = known !== undefined && known.others === others && known.basis === comparing.basis;
    const judgement = isSame ? known.judgement : { ...compared(comparing), definition };
    this.#judged.set(part.definition, { judgement, form, others, version: this.#version, basis: comparing.basis });
    return judgement;
  }

  #comparing(
    part: Pinnable,
    form: JsonObject,
    definition: string,
    others: OtherServers | undefined,
  ): DefinitionComparison {
    const server = this.#pinned.get(part.server);
    const pin = server?.pins.get(idOf(part));
    const former = pin?.approved === true ? undefined : this.#former(part, definition, form);
    const movedFrom = server !== undefined && this.#moved(part, server) ? server.address : undefined;
    const formerHash = typeof former === 'object' ? `${former.id} ${former.hash}` : former;
    const basis = JSON.stringify([pin?.hash, pin?.approved, formerHash, movedFrom]);
    return { part, form, definition, pin, former, movedFrom, others, basis };
  }

  /** The user has agreed to these parts as they are. The file is written once. */
  async accept(...parts: readonly Pinnable[]): Promise<void> {
    await this.ready();
    if (this.frozen || parts.length === 0) return;
    const accepted = parts.map((part) => {
      const pin = pinOf(part, true);
      return { part, pin, former: this.#former(part, pin.hash, pin.definition) };
    });
    await this.#change((pinned) => {
      const after = new Map(pinned);
      for (const one of accepted) after.set(one.part.server, this.#accepted(after.get(one.part.server), one));
      return after;
    });
  }

  #accepted(server: PinnedServer | undefined, { part, pin, former }: AcceptedPart): PinnedServer {
    const { address = '', claims = '' } = this.#present.get(`${part.server} ${part.kind}`) ?? {};
    const moved = server !== undefined && server.address !== address;
    // What was approved at another address was approved of another server.
    const pins = moved ? disapproved(server.pins) : new Map(server?.pins);
    if (typeof former === 'object') pins.delete(former.id);
    pins.set(idOf(part), pin);
    return { address, claims, ...(moved ? {} : { handshake: server?.handshake }), pins };
  }

  async recallHandshake(server: string, address: string): Promise<string | undefined> {
    // Who cannot read the file says so where it matters.
    await this.ready().catch(() => undefined);
    const known = this.#pinned.get(server);
    return known?.address === this.#portable(address) ? known.handshake : undefined;
  }

  /** At another address than the one that was pinned, it may be another server. */
  async rememberHandshake(server: string, reached: string, name: string | undefined): Promise<void> {
    const address = this.#portable(reached);
    if (this.frozen || (name === undefined && !this.#pinned.has(server))) return;
    await this.#change((pinned) => {
      const known = pinned.get(server) ?? { address, claims: name ?? '', pins: new Map() };
      return known.address === address ? new Map(pinned).set(server, { ...known, handshake: name }) : pinned;
    }).catch((error: unknown) => this.#warn(`How ${server} is met was not written down: ${String(error)}`));
  }

  /** An approved part of this kind that is gone, and was much like this one. */
  #former({ server, kind }: Pinnable, hash: string, form: JsonObject): Former {
    const present = this.#present.get(`${server} ${kind}`);
    if (present === undefined) return undefined;
    if (present.gone?.version !== this.#version) {
      const gone = [...(this.#pinned.get(server)?.pins ?? [])].flatMap(([id, pin]) =>
        pin.approved && id.startsWith(`${kind} `) && !present.parts.has(id) ? [{ ...pin, id }] : [],
      );
      const former = present.gone?.former ?? new FormerParts();
      former.update(gone);
      present.gone = { version: this.#version, former };
    }
    return present.gone.former.of(hash, form);
  }

  #portable(address: string): string {
    return this.#path === undefined ? address : portableAddress(address, this.#path);
  }

  #moved({ server, kind }: Pinnable, pinned: PinnedServer): boolean {
    const present = this.#present.get(`${server} ${kind}`);
    return present !== undefined && present.address !== pinned.address;
  }

  async #read(): Promise<void> {
    if (this.#path !== undefined) this.#pinned = await readLock(this.#path, this.#warn);
  }

  /** On top of what is in the file by now: other hosts write it too, one after the other, and people do. */
  #change(change: (pinned: Pinned) => Pinned): Promise<void> {
    const path = this.#path;
    const changed = this.#writing.then(async () => {
      this.#pinned = path === undefined ? change(this.#pinned) : await this.#rewritten(path, change);
      this.#version++;
    });
    this.#writing = changed.catch(() => undefined);
    return changed;
  }

  #rewritten(path: string, change: (pinned: Pinned) => Pinned): Promise<Pinned> {
    return whileLocked(path, { clock: this.#clock }, async () => {
      const after = change(await readLock(path, this.#warn));
      await writeLock(path, after);
      return after;
    }).catch((error: unknown) => {
      throw hostFileError(path, error);
    });
  }
}

interface LockJudgement {
  readonly judgement: DefinitionCheck;
  readonly form: JsonObject;
  readonly others: OtherServers | undefined;
  readonly version: number;
  readonly basis: string;
}

interface DefinitionComparison {
  readonly part: Pinnable;
  readonly form: JsonObject;
  /** The hash of the form. */
  readonly definition: string;
  readonly pin: Pin | undefined;
  readonly former: Former;
  /** The address at which its server was pinned, where it is another one now. */
  readonly movedFrom: string | undefined;
  readonly others: OtherServers | undefined;
  /** Everything but the form and the others, as a text: as long as it is the same, so is the judgement. */
  readonly basis: string;
}

interface AcceptedPart {
  readonly part: Pinnable;
  readonly pin: Pin;
  readonly former: Former;
}

const disapproved = (pins: PinnedServer['pins']): Map<string, Pin> =>
  new Map([...pins].map(([id, pin]) => [id, { ...pin, approved: false }]));

const idOf = ({ kind, key }: Pinnable): string => `${kind} ${key}`;

function pinOf({ definition }: Pinnable, approved: boolean): Pin {
  const form = pinnedForm(definition);
  return { approved, hash: hashOf(form), definition: form };
}

function compared({ part, form, definition, pin, former, movedFrom, others }: DefinitionComparison): Grade {
  if (pin?.approved === true && pin.hash === definition && movedFrom === undefined)
    return { status: 'pinned', reasons: [] };
  const known = typeof former === 'object' ? former : undefined;
  const before = known?.definition ?? pin?.definition;
  const graded = before === undefined ? undefined : grade({ before, after: form, others });
  const sight = pin?.approved === true ? undefined : firstSight(form, others);
  const statuses: DefinitionStatus[] = [graded?.status ?? 'new', sight?.status ?? 'pinned'];
  const reasons = [...(graded?.reasons ?? []), ...(sight?.reasons ?? [])];
  if (known !== undefined) reasons.unshift(`it was called ${JSON.stringify(known.id.slice(part.kind.length + 1))}`);
  if (former === 'unknown') {
    statuses.push('wider');
    reasons.push('more approved parts went at once than this one can be compared with');
  }
  if (movedFrom !== undefined) {
    statuses.push('new');
    reasons.push(`its server was reached by ${movedFrom} when it was pinned`);
  }
  return { status: worst(...statuses), reasons: [...new Set(reasons)] };
}

/** Of what nobody has seen before, only what honest text hardly ever has makes it suspicious. */
function firstSight(form: JsonObject, others: OtherServers | undefined): Grade {
  const found = findOddities(textsIn(form).join(' . '), others).filter(({ strong }) => strong);
  return {
    status: found.length === 0 ? 'new' : 'suspicious',
    reasons: found.map((finding) => findingSentence('it', finding)),
  };
}
