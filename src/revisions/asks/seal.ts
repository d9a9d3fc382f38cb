/** Seals state that travels through the client: it cannot be read, changed, or used for another request. */
import { RpcError } from '../../errors.ts';
import { INTERNAL_ERROR, INVALID_PARAMS } from '../../jsonrpc/message.ts';
import type { Clock } from '../../peer/clock.ts';
import { TimeLimit } from '../../peer/time-limit.ts';
import { findNodeCrypto, type NodeCrypto, nodeSealing, sealedTextId, webSealing } from './aes-gcm.ts';

export interface Sealer {
  /** `bound` is what the text belongs to; it must be the same when it is opened. */
  seal(text: string, bound: string): Promise<string>;
  /** The text, or −32602 if it is not ours, was changed, or belongs elsewhere. */
  open(sealed: string, bound: string): Promise<string>;
}

/** AES-256-GCM. The first key seals; all of them open, so that keys can be rotated. Without keys, one is made for this process. */
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

/** Seals the state of suspended calls; with a log, or `true` for one in this process, each state opens once. */
export function stateSealer(
  keys: readonly Uint8Array<ArrayBuffer>[] | undefined,
  singleUse: true | StateLog | undefined,
  clock: Clock,
): Sealer {
  const sealer = createSealer(keys);
  if (singleUse === undefined) return sealer;
  return singleUseSealer(sealer, singleUse === true ? memoryStateLog(clock) : limitStateLog(singleUse, clock));
}

/** How long a sealed text is good for, and so how long its use has to be remembered. */
export const STATE_LIFE_MS: number = 10 * 60_000;

/** Remembers which sealed texts were used. */
export interface StateLog {
  /** True the first time that an id is given, false from then on; after `lifeMs` it may be forgotten. */
  spend(id: string, lifeMs: number): boolean | Promise<boolean>;
}

/** A process whose clock is behind takes a text for good for so much longer: what was used is remembered until then. */
const CLOCK_DIFFERENCE_MS = 24 * 60 * 60_000;

/** The same log of the application, for processes whose clocks differ, with the time limit for what waits for it. */
export function limitStateLog(log: StateLog, clock: Clock): StateLog {
  const limit = new TimeLimit(clock);
  return {
    spend: (id, lifeMs) => limit.bound(log.spend(id, lifeMs + CLOCK_DIFFERENCE_MS), 'spend of the log of used states'),
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

/** A state that could have been used before is not used. */
function rejectUnknown(thrown: unknown): never {
  const why = 'Whether requestState was used before is not known now, so send the request again later';
  throw Object.assign(new RpcError(INTERNAL_ERROR, why, { retryAfterMs: 1_000 }), { cause: thrown });
}

/** States that are remembered. None is forgotten to make room, or it could be used again: beyond this, states are not opened. */
const MAX_USED = 250_000;

/** Remembers within this process. */
export function memoryStateLog(clock: Clock): StateLog {
  const used = new Map<string, number>();
  return {
    spend(id, lifeMs) {
      const now = clock.now();
      // The oldest come first: whatever has expired stands at the front.
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
