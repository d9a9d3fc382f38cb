/** Seals state that is sent through the client: encrypted, tamper-proof, and bound to one request. */
import { RpcError } from '../../errors.ts';
import { INTERNAL_ERROR, INVALID_PARAMS } from '../../jsonrpc/message.ts';
import type { Clock } from '../../peer/clock.ts';
import { TimeLimit } from '../../peer/time-limit.ts';
import { findNodeCrypto, type NodeCrypto, nodeSealing, sealedTextId, webSealing } from './aes-gcm.ts';

export interface Sealer {
  /** `bound` identifies the request and the caller: `open` needs the same value. */
  seal(text: string, bound: string): Promise<string>;
  /** Returns the text. Throws −32602 if it was not sealed by this server, was changed, or is bound to something else. */
  open(sealed: string, bound: string): Promise<string>;
}

/** Seals with AES-256-GCM. The first key seals and any key opens, so that keys can be rotated. Default: a random key per process. */
export function createSealer(
  keys: readonly Uint8Array<ArrayBuffer>[] = [crypto.getRandomValues(new Uint8Array(32))],
  node: NodeCrypto | false = findNodeCrypto() ?? false,
): Sealer {
  const { seal, open } = node === false ? webSealing(keys) : nodeSealing(keys, node);
  return {
    async seal(text, bound) {
      if (keys.length === 0) throw new RangeError('A sealer needs at least one key');
      return seal(text, bound);
    },
    async open(sealed, bound) {
      const text = await open(sealed, bound);
      if (text !== undefined) return text;
      throw new RpcError(INVALID_PARAMS, 'requestState was not issued by this server for this request');
    },
  };
}

/** Makes the sealer for suspended calls. With a log, or `true` for one in memory, each state opens only once (replay protection). */
export function stateSealer(
  keys: readonly Uint8Array<ArrayBuffer>[] | undefined,
  singleUse: true | StateLog | undefined,
  clock: Clock,
): Sealer {
  const sealer = createSealer(keys);
  if (singleUse === undefined) return sealer;
  return singleUseSealer(sealer, singleUse === true ? memoryStateLog(clock) : limitStateLog(singleUse, clock));
}

/** The lifetime of a sealed state, and so the minimum time for which its use must be stored. */
export const STATE_LIFE_MS: number = 10 * 60_000;

/** Stores which sealed states were used. */
export interface StateLog {
  /** Returns true for the first call with an id, and false for later ones. Entries can expire after `lifeMs`. */
  spend(id: string, lifeMs: number): boolean | Promise<boolean>;
}

/** Clock skew: a process whose clock is behind accepts a state for longer, so its use must be stored for longer. */
const CLOCK_SKEW_MS = 24 * 60 * 60_000;

/** Wraps the application's log: adds a margin for clock skew between processes, and a timeout. */
export function limitStateLog(log: StateLog, clock: Clock): StateLog {
  const limit = new TimeLimit(clock);
  return {
    spend: (id, lifeMs) => limit.bound(log.spend(id, lifeMs + CLOCK_SKEW_MS), 'spend of the log of used states'),
  };
}

export const singleUseSealer = (sealer: Sealer, log: StateLog): Sealer => ({
  seal: sealer.seal,
  async open(sealed, bound) {
    const text = await sealer.open(sealed, bound);
    const spend = async (): Promise<boolean> => log.spend(sealedTextId(sealed), STATE_LIFE_MS);
    if (await spend().catch(rejectUnknown)) return text;
    throw new RpcError(INVALID_PARAMS, 'requestState was used before');
  },
});

/** If the log fails, the state is rejected (fail closed), because it could have been used before. */
function rejectUnknown(thrown: unknown): never {
  const why =
    'The store of used states cannot be reached, so requestState cannot be checked: send the request again later';
  throw Object.assign(new RpcError(INTERNAL_ERROR, why, { retryAfterMs: 1_000 }), { cause: thrown });
}

/** The limit of used states. At the limit, states are rejected instead of evicting one, because an evicted state could be replayed. */
const MAX_USED = 250_000;

/** A log in the memory of this process. */
export function memoryStateLog(clock: Clock): StateLog {
  const used = new Map<string, number>();
  return {
    spend(id, lifeMs) {
      const now = clock.now();
      // Insertion order is expiry order, so expired entries are first.
      for (const [old, until] of used) {
        if (until > now) break;
        used.delete(old);
      }
      if (used.has(id)) return false;
      if (used.size >= MAX_USED) throw new RangeError(`${MAX_USED} states were used within ten minutes`);
      used.set(id, now + lifeMs);
      return true;
    },
  };
}
