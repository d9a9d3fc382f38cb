/** Asking the user: on a terminal, in a window, or through a queue that outlives the process. */
import type { JsonObject } from '../../jsonrpc/message.ts';
import type { Act } from '../act/act.ts';

/** What the user is asked: the whole act, and what to look at twice. */
export interface ConsentQuestion {
  /** The id of the act, as in the audit. */
  readonly id: string;
  readonly act: Act;
  /** What the act binds to: a hash of the definition and the arguments. An answer holds for exactly this. */
  readonly binding: string;
  /** The rule that asks, in words; `none` where no rule matches. */
  readonly rule: string;
  /** Why the user is asked. */
  readonly why: string;
  /** What deserves a second look: hidden characters, dangerous commands, text that tells a model what to do. */
  readonly warnings: readonly string[];
  /** Whether `arguments` of the answer may differ from those of the act. */
  readonly editable: boolean;
  /** False where the user is asked each time: `remember` of the answer is not used. */
  readonly canRemember: boolean;
}

/** What the user answered. */
export interface ConsentAnswer {
  readonly allow: boolean;
  /** The binding of the question that this answers. An answer that names another one is a refusal. */
  readonly binding?: string | undefined;
  /** Ask no more for the same act: with the same arguments, or with any. Without it, this once. */
  readonly remember?:
    | { readonly for: 'these arguments' | 'any arguments'; readonly until: 'session' | number }
    | undefined;
  /** What to send instead; it is marked in the audit. */
  readonly arguments?: JsonObject | undefined;
  /** For the audit, and for the caller. */
  readonly reason?: string | undefined;
}

/** Rejects or answers `allow: false` when the user does not agree; then nothing happens. */
export interface Consent {
  /** The answer may come hours later, and from elsewhere: lists do not wait for it. */
  readonly later?: true;
  ask(question: ConsentQuestion, signal: AbortSignal): Promise<ConsentAnswer>;
  /** Of questions that outlive the process: secret random bytes that do too, with which the values of commands are hashed. */
  key?(): Promise<Uint8Array>;
}

/** A function is as good as an object with `ask`. */
export type ConsentFunction = (
  question: ConsentQuestion,
  signal: AbortSignal,
) => ConsentAnswer | Promise<ConsentAnswer>;
