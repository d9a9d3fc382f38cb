/** The types of consent: how a host asks the user for permission, on a terminal, in a window or through a persistent inbox. */
import type { JsonObject } from '../../jsonrpc/message.ts';
import type { Act } from '../act/act.ts';

/** A consent question: the whole act, and warnings about it. */
export interface ConsentQuestion {
  /** The id of the act, as in the audit log. */
  readonly id: string;
  readonly act: Act;
  /** The hash of the act: definition, server, kind, name, arguments, `_meta` and view. An answer is valid only for this hash. */
  readonly binding: string;
  /** The text of the rule that requires consent; `none` if no rule matches. */
  readonly rule: string;
  /** The reason for the question. */
  readonly why: string;
  /** Warnings about hidden characters, dangerous commands and prompt injection. */
  readonly warnings: readonly string[];
  /** Whether the user can edit the arguments. */
  readonly editable: boolean;
  /** False if the rule asks every time; `remember` in the answer is then ignored. */
  readonly canRemember: boolean;
}

/** The user's answer. */
export interface ConsentAnswer {
  readonly allow: boolean;
  /** The binding of the answered question. An answer with another binding counts as declined. */
  readonly binding?: string | undefined;
  /** Stores an approval for the act with these or any arguments. Without it, the answer is valid once. */
  readonly remember?:
    | { readonly for: 'these arguments' | 'any arguments'; readonly until: 'session' | number }
    | undefined;
  /** The edited arguments. The audit log marks them as edited. */
  readonly arguments?: JsonObject | undefined;
  /** For the audit log and the caller. */
  readonly reason?: string | undefined;
}

/** Asks the user. `ask` returns `allow: false` or rejects if the user does not agree; the act is then denied. */
export interface Consent {
  /** Set if the answer can take hours, for example from another process. Lists then do not wait for it. */
  readonly later?: true;
  ask(question: ConsentQuestion, signal: AbortSignal): Promise<ConsentAnswer>;
  /** For questions that outlive the process: a persistent secret, the HMAC key for fingerprints of commands. */
  key?(): Promise<Uint8Array>;
}

/** A function that can be passed instead of a `Consent` object. */
export type ConsentFunction = (
  question: ConsentQuestion,
  signal: AbortSignal,
) => ConsentAnswer | Promise<ConsentAnswer>;
