/** Limits per caller: by verified identity, or by address if callers are not verified. */
import { type AuthInfo, principalOf } from '../../model/caller.ts';
import { isLoopbackHost } from '../../model/loopback.ts';

/** The key under which limits count a caller; undefined if only the limits for all callers apply. */
export function callerKey(auth: AuthInfo | undefined, address: string | undefined): string | undefined {
  const named = auth?.subject !== undefined || auth?.clientId !== undefined;
  return named ? principalOf(auth) : networkKey(address);
}

/**
 * The part of an address that identifies a caller: a whole IPv4 address, or the /64 prefix of an IPv6 address. Undefined for
 * loopback addresses, which can belong to a reverse proxy with all clients behind it.
 */
export function networkKey(address: string | undefined): string | undefined {
  const mapped = address?.replace(/^::ffff:(?=[\d.]+$)/i, '');
  if (mapped === undefined || isLoopbackHost(mapped)) return undefined;
  const [head = '', tail = ''] = mapped.split('::');
  const groups = head.split(':');
  const rest = tail === '' ? [] : tail.split(':');
  // `::` stands for the missing groups, which are zeros.
  const missing = mapped.includes('::') ? 8 - groups.length - rest.length : 0;
  const zeros = Array.from({ length: missing }, () => '0');
  return [...groups, ...zeros, ...rest].slice(0, 4).join(':');
}

/** Counts items per caller, such as sessions or connections. */
export class CallerCounts {
  readonly #limit: number;
  readonly #counts: Map<string | undefined, number> = new Map();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Whether this caller has reached the limit. A caller without a key never does. */
  isFull(caller: string | undefined): boolean {
    return caller !== undefined && (this.#counts.get(caller) ?? 0) >= this.#limit;
  }

  add(caller: string | undefined): void {
    this.#counts.set(caller, (this.#counts.get(caller) ?? 0) + 1);
  }

  remove(caller: string | undefined): void {
    const left = (this.#counts.get(caller) ?? 0) - 1;
    if (left > 0) this.#counts.set(caller, left);
    else this.#counts.delete(caller);
  }
}
