/** Approvals that are valid more than once: for which acts, until when, and revoking them. */
import { randomUUID } from 'node:crypto';
import { defined } from '../../jsonrpc/message.ts';
import { canonicalJson } from '../../model/canonical.ts';
import { setNewest } from '../../peer/set-newest.ts';
import type { Act, ActKind } from '../act/act.ts';
import { payloadOf, sha256 } from '../act/binding.ts';
import type { ConsentAnswer } from './consent.ts';

/** A yes that is valid more than once. */
export interface Approval {
  readonly id: string;
  readonly server: string;
  /** The hash of the command or URL that the label stood for; the same label for another server is another question. */
  readonly fingerprint?: string | undefined;
  readonly kind: ActKind;
  readonly name: string;
  /** The URI of the view that asked. */
  readonly view?: string | undefined;
  readonly principal: string;
  /** The rule that asked. Another one that asks is another question. */
  readonly rule: string;
  /** The hash of the definition that was approved; a changed one is not. */
  readonly definition?: string | undefined;
  /** The hash of the arguments; absent where any will do. */
  readonly arguments?: string | undefined;
  /** The hash of the skills that were in use: with another skill, it is another question. */
  readonly under?: string | undefined;
  /** It ends with this session, or with the host where there is none. */
  readonly session?: string | undefined;
  /** It ends at this time, in milliseconds since 1970; those without do not outlive the host. */
  readonly until?: number | undefined;
  readonly at: number;
}

/** Where approvals with an end in time are kept. Each is written once and removed once. */
export interface ApprovalStore {
  list(): Promise<readonly Approval[]>;
  add(approval: Approval): Promise<void>;
  /** False when there was none. */
  remove(id: string): Promise<boolean>;
  /**
   * 32 secret random bytes that stay the same, with which the variables of commands and the headers of URLs are hashed. Without
   * it, approvals for servers that have some end with the process.
   */
  key?(): Promise<Uint8Array>;
}

/** Keeps approvals for as long as the process lives. */
export function memoryApprovals(): ApprovalStore {
  const kept = new Map<string, Approval>();
  return {
    list: async () => [...kept.values()],
    add: async (approval) => void kept.set(approval.id, approval),
    remove: async (id) => kept.delete(id),
  };
}

/** The approvals that a host remembers. */
export interface RememberedApprovals {
  /** Those that are still valid. */
  list(): Promise<readonly Approval[]>;
  /** Revokes one; false when there is none with this id. */
  revoke(id: string): Promise<boolean>;
}

/** Beyond this the oldest are forgotten, and asked for again. */
const MAX_SHORT = 10_000;

/** What an act must have in common with an approval, besides its rule, its arguments and the skills in use. */
const bound = ['server', 'fingerprint', 'kind', 'name', 'view', 'principal', 'definition'] as const;

export class Approvals {
  readonly #store: ApprovalStore;
  /** Those that end with a session or with the host are not stored. */
  readonly #short: Map<string, Approval> = new Map();

  constructor(store: ApprovalStore) {
    this.#store = store;
  }

  /** Everything that is remembered and still good. */
  async list(now: number): Promise<readonly Approval[]> {
    const long = await this.#store.list();
    const over = long.filter(({ until }) => until === undefined || until <= now);
    await Promise.all(over.map(({ id }) => this.#store.remove(id)));
    return [...this.#short.values(), ...long.filter((one) => !over.includes(one))];
  }

  /** False when there is none with this id. */
  async revoke(id: string): Promise<boolean> {
    const short = this.#short.delete(id);
    return (await this.#store.remove(id)) || short;
  }

  async find(act: Act, rule: string, now: number): Promise<Approval | undefined> {
    const hash = hashOf(act);
    return (await this.list(now)).find(
      (one) =>
        bound.every((key) => one[key] === act[key]) &&
        one.rule === rule &&
        one.under === underOf(act) &&
        (one.arguments === undefined || one.arguments === hash) &&
        (one.until !== undefined || one.session === act.session),
    );
  }

  async add(act: Act, rule: string, remember: NonNullable<ConsentAnswer['remember']>, now: number): Promise<void> {
    const { server, fingerprint, kind, name, view, principal, definition, session } = act;
    const until = remember.until === 'session' ? undefined : remember.until;
    const approval = defined<Approval>({
      ...{ id: randomUUID(), server, fingerprint, kind, name, view, principal, rule, definition, at: now },
      ...{ under: underOf(act), until, session: until === undefined ? session : undefined },
      arguments: remember.for === 'these arguments' ? hashOf(act) : undefined,
    });
    if (until !== undefined) await this.#store.add(approval);
    else setNewest(this.#short, approval.id, approval, MAX_SHORT);
  }

  endSession(session: string): void {
    for (const [id, approval] of this.#short) if (approval.session === session) this.#short.delete(id);
  }
}

const underOf = ({ under }: Act): string | undefined =>
  under === undefined ? undefined : sha256(under.map(canonicalJson).toSorted().join('\n'));

const hashOf = (act: Act): string => sha256(payloadOf(act).map(canonicalJson).join('\n'));
