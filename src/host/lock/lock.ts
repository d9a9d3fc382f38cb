/**
 * What servers offered when they were first met, and what they offer now. Who relied on a definition hears of every change to
 * it before it is used, and how bad it is.
 */
import { whileLocked } from '../../files/file-lock.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import type { Clock } from '../../peer/clock.ts';
import type { Standing } from '../act.ts';
import { unusable } from '../file-error.ts';
import type { EraMemory } from '../servers/era.ts';
import type { Surroundings } from '../text/foreign.ts';
import { findings, sentenceOf } from '../text/inspect.ts';
import { worst } from './change.ts';
import { type Grade, grade } from './grade.ts';
import { type Pin, type Pinned, type PinnedServer, readLock, writeLock } from './lock-file.ts';
import { hashOf, type Pinnable, type PinnedKind, pinnedForm } from './pinnable.ts';
import { SAME, similarity } from './similarity.ts';
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
export interface Contact {
  readonly server: string;
  readonly kind: PinnedKind;
  /** The command or the address, as it was shown. */
  readonly address: string;
  /** What it calls itself. */
  readonly claims: string;
  readonly parts: readonly Pinnable[];
}

export interface Judgement extends Grade {
  /** The hash of the definition as it is now. */
  readonly definition: string;
}

interface Present {
  readonly address: string;
  readonly claims: string;
  readonly parts: ReadonlySet<string>;
}

export class Lock implements EraMemory {
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
  readonly #judged: WeakMap<object, Judged> = new WeakMap();
  #version = 0;

  constructor({ path, frozen = false, clock, onWarning }: LockOptions) {
    this.#path = path;
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
  async meet(contact: Contact): Promise<void> {
    await this.ready();
    const { server, kind, address, claims, parts } = contact;
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
  judge(part: Pinnable, others?: Surroundings): Judgement {
    const known = this.#judged.get(part.definition);
    if (known?.version === this.#version && known.others === others) return known.judgement;
    const judgement = this.#judge(part, others);
    this.#judged.set(part.definition, { judgement, others, version: this.#version });
    return judgement;
  }

  #judge(part: Pinnable, others: Surroundings | undefined): Judgement {
    const form = pinnedForm(part.definition);
    const definition = hashOf(form);
    const server = this.#pinned.get(part.server);
    const pin = server?.pins.get(idOf(part));
    if (server !== undefined && pin?.approved === true && pin.hash === definition && !this.#moved(part, server))
      return { standing: 'pinned', reasons: [], definition };
    const judged = this.#compared({ part, form, server, pin, others });
    return { ...judged, definition };
  }

  /** Somebody who may has agreed to the part as it is. */
  async accept(part: Pinnable): Promise<void> {
    await this.ready();
    if (this.frozen) return;
    const present = this.#present.get(`${part.server} ${part.kind}`);
    const { address = '', claims = '' } = present ?? {};
    const former = this.#former(part, pinnedForm(part.definition));
    await this.#change((pinned) => {
      const server = pinned.get(part.server);
      const moved = server !== undefined && server.address !== address;
      // What was approved at another address was approved of another server.
      const kept = [...(server?.pins ?? [])].map(([id, pin]): [string, Pin] => [
        id,
        moved ? { ...pin, approved: false } : pin,
      ]);
      const pins = new Map(kept);
      if (former !== undefined) pins.delete(former.id);
      pins.set(idOf(part), pinOf(part, true));
      const met = moved ? {} : { handshake: server?.handshake };
      return new Map(pinned).set(part.server, { address, claims, ...met, pins });
    });
  }

  async shook(server: string, address: string): Promise<string | undefined> {
    // Who cannot read the file says so where it matters.
    await this.ready().catch(() => undefined);
    const known = this.#pinned.get(server);
    return known?.address === address ? known.handshake : undefined;
  }

  /** At another address than the one that was pinned, it may be another server. */
  async shake(server: string, address: string, name: string | undefined): Promise<void> {
    if (this.frozen || (name === undefined && !this.#pinned.has(server))) return;
    await this.#change((pinned) => {
      const known = pinned.get(server) ?? { address, claims: name ?? '', pins: new Map() };
      return known.address === address ? new Map(pinned).set(server, { ...known, handshake: name }) : pinned;
    }).catch((error: unknown) => this.#warn(`How ${server} is met was not written down: ${String(error)}`));
  }

  #compared({ part, form, server, pin, others }: Comparing): Grade {
    const former = pin?.approved === true ? undefined : this.#former(part, form);
    const before = former?.definition ?? pin?.definition;
    const compared = before === undefined ? undefined : grade({ before, after: form, others });
    const sight = pin?.approved === true ? undefined : firstSight(form, others);
    const standings: Standing[] = [compared?.standing ?? 'new', sight?.standing ?? 'pinned'];
    const reasons = [...(compared?.reasons ?? []), ...(sight?.reasons ?? [])];
    if (former !== undefined) reasons.unshift(`it was called ${JSON.stringify(former.key)}`);
    if (server !== undefined && this.#moved(part, server)) {
      standings.push('new');
      reasons.push(`its server was reached by ${server.address} when it was pinned`);
    }
    return { standing: worst(...standings), reasons: [...new Set(reasons)] };
  }

  /** An approved part of this kind that is gone, and was much like this one. */
  #former({ server, kind, key }: Pinnable, form: JsonObject): (Pin & { id: string; key: string }) | undefined {
    const here = this.#present.get(`${server} ${kind}`)?.parts;
    const gone = [...(this.#pinned.get(server)?.pins ?? [])].filter(
      ([id, pin]) => pin.approved && id.startsWith(`${kind} `) && id !== `${kind} ${key}` && here?.has(id) === false,
    );
    const [best] = gone
      .map(([id, pin]) => ({ ...pin, id, key: id.slice(kind.length + 1), alike: similarity(pin.definition, form) }))
      .toSorted((a, b) => b.alike - a.alike);
    return best !== undefined && best.alike >= SAME ? best : undefined;
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
      throw unusable(path, error);
    });
  }
}

interface Judged {
  readonly judgement: Judgement;
  readonly others: Surroundings | undefined;
  readonly version: number;
}

interface Comparing {
  readonly part: Pinnable;
  readonly form: JsonObject;
  readonly server: PinnedServer | undefined;
  readonly pin: Pin | undefined;
  readonly others: Surroundings | undefined;
}

const idOf = ({ kind, key }: Pinnable): string => `${kind} ${key}`;

function pinOf({ definition }: Pinnable, approved: boolean): Pin {
  const form = pinnedForm(definition);
  return { approved, hash: hashOf(form), definition: form };
}

/** Of what nobody has seen before, only what honest text hardly ever has makes it suspicious. */
function firstSight(form: JsonObject, others: Surroundings | undefined): Grade {
  const found = findings(textsIn(form).join(' . '), others).filter(({ strong }) => strong);
  return {
    standing: found.length === 0 ? 'new' : 'suspicious',
    reasons: found.map((finding) => sentenceOf('it', finding)),
  };
}
