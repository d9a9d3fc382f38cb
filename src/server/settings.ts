/** Everything about a server that is not a part: who it is, and how it behaves. Decided once, when it is made. */
import type { Implementation } from '../model/caller.ts';
import type { Icon } from '../model/icon.ts';
import type { CacheHints } from '../model/resource.ts';
import type { Clock } from '../peer/clock.ts';
import type { Sealer } from '../revisions/asks/seal.ts';
import type { Revision } from '../revisions/contract.ts';
import type { EnvCaller } from './part.ts';

export interface ServerSpec {
  readonly name: string;
  readonly version: string;
  readonly title?: string;
  readonly description?: string;
  readonly websiteUrl?: string;
  readonly icons?: readonly Icon[];
  /** How a model uses this server well; not what its tools already say. */
  readonly instructions?: string;
  /** The revisions to speak; all of them by default. */
  readonly revisions?: readonly string[];
  /** Refuse a handshake for a revision that is not spoken here, instead of offering another. */
  readonly strictVersions?: boolean;
  /** Items per page of a list; 1,000 by default. */
  readonly pageSize?: number;
  /** How long, and among whom, lists and discovery may be kept; by default not at all. */
  readonly cache?: CacheHints;
  /** AES-256 keys that seal the state of suspended calls, newest first. Needed where several processes serve one address. */
  readonly stateKeys?: readonly Uint8Array<ArrayBuffer>[];
  /** How often one call may stop to ask; 10 by default. */
  readonly maxRounds?: number;
  /** Streams of news that may be open at once; 1,024 by default. */
  readonly maxListeners?: number;
  /** Told of every exception that callers see as a short id only; by default it is written to the console's error stream. */
  readonly onError?: (error: unknown, about: ErrorReport) => void;
  readonly clock?: Clock;
}

export interface ErrorReport {
  /** The id that the caller was given. */
  readonly id: string;
  /** Which part failed, such as `tool "refund"`. */
  readonly what: string;
}

export interface Settings {
  readonly info: Implementation;
  readonly instructions: string | undefined;
  readonly revisions: readonly Revision[];
  readonly strictVersions: boolean;
  readonly pageSize: number;
  readonly hints: Required<CacheHints>;
  readonly sealer: Sealer;
  readonly maxRounds: number;
  readonly maxListeners: number;
  readonly clock: Clock;
  readonly env: unknown;
  report(error: unknown, what: string): string;
}

/** An environment is a value, or is made for each caller. */
export const envFor = (env: unknown, caller: EnvCaller): unknown => (typeof env === 'function' ? env(caller) : env);
