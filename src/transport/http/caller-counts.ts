/** Limits for each caller: by verified identity, or by address where callers are not verified. */
import { type AuthInfo, principalOf } from '../../model/caller.ts';
import { isLoopbackHost } from '../../model/loopback.ts';

/** The caller that a limit counts for; undefined where only the limits for all callers hold. */
export function callerKey(auth: AuthInfo | undefined, address: string | undefined): string | undefined {
  const named = auth?.subject !== undefined || auth?.clientId !== undefined;
  return named ? principalOf(auth) : networkKey(address);
}

/**
 * The part of an address that one caller has to itself: all of an IPv4 address, the first half of an IPv6 one. This
 * machine's own addresses are not counted: behind them are its own programs, or a proxy with all other clients.
 */
export function networkKey(address: string | undefined): string | undefined {
  const mapped = address?.replace(/^::ffff:(?=[\d.]+$)/i, '');
  if (mapped === undefined || isLoopbackHost(mapped)) return undefined;
  const [head = '', tail = ''] = mapped.split('::');
  const groups = head.split(':');
  const rest = tail === '' ? [] : tail.split(':');
  // Two colons stand for as many zeros as are missing.
  const missing = mapped.includes('::') ? 8 - groups.length - rest.length : 0;
  const zeros = Array.from({ length: missing }, () => '0');
  return [...groups, ...zeros, ...rest].slice(0, 4).join(':');
}

/** How many of something each caller has. */
export class CallerCounts {
  readonly #limit: number;
  readonly #counts: Map<string | undefined, number> = new Map();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Whether this caller has reached the limit, which an unknown one never does. */
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
