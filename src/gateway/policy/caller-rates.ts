/** Rate limits per person. A person is issuer and subject of the token, so all programs of a user count together. */
import { RpcError } from '../../errors.ts';
import { sha256 } from '../../host/act/binding.ts';
import { INTERNAL_ERROR } from '../../jsonrpc/message.ts';
import type { AuthInfo } from '../../model/caller.ts';
import type { GatewayMetrics, NoteStoreFailure, RateStore } from '../contract.ts';
import type { CallLimit } from './gateway-rules.ts';
import type { WindowCounts } from './window-counts.ts';

/** Rate limits per person: issuer and subject of the token, in any program; without a subject, the client. */
export interface GatewayRates {
  /** Calls of tools, prompts, resources and completions, including unknown names. */
  readonly perPrincipal?: CallLimit | undefined;
  /** Requests for lists. */
  readonly lists?: CallLimit | undefined;
  /** Counts for all processes together. Without it, each process counts its own requests. */
  readonly store?: RateStore | undefined;
}

/** Tokens without a subject are counted by client. Hashed, so that store keys reveal no names. */
export function personKey(auth: AuthInfo | undefined): string {
  const { issuer, subject, clientId } = auth ?? {};
  const who = subject === undefined ? [issuer, null, clientId] : [issuer, subject];
  return sha256(JSON.stringify(who)).slice(0, 32);
}

interface CallerRatesSettings {
  /** Counts in this process, and is the fallback while the store is unreachable. */
  readonly counts: WindowCounts;
  readonly metrics?: GatewayMetrics | undefined;
  readonly noteStoreFailure?: NoteStoreFailure | undefined;
}

export class CallerRates {
  readonly #rates: GatewayRates;
  readonly #settings: CallerRatesSettings;

  constructor(rates: GatewayRates, settings: CallerRatesSettings) {
    this.#rates = rates;
    this.#settings = settings;
  }

  /** Throws if the person exceeds the limit. */
  async take(what: 'calls' | 'lists', auth: AuthInfo | undefined): Promise<void> {
    const limit = what === 'calls' ? this.#rates.perPrincipal : this.#rates.lists;
    if (limit === undefined) return;
    const key = `${personKey(auth)}:${what}`;
    const rate = { limit: limit.calls, perMs: limit.perMs };
    const { counts, metrics, noteStoreFailure } = this.#settings;
    const taken = await (this.#rates.store ?? counts).take(key, rate).catch((error: unknown) => {
      noteStoreFailure?.('rates', error);
      return counts.take(key, rate);
    });
    if (taken.ok) return;
    metrics?.count('rate_limited_total', { what });
    const text = `Too many requests: ${limit.calls} ${what} per ${limit.perMs} ms are allowed`;
    throw new RpcError(INTERNAL_ERROR, text, { outcome: 'not-sent', retryAfterMs: taken.retryMs, limited: true });
  }
}
