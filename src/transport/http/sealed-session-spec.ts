/** How sessions are kept in their ids. */

/** Remembers the sessions that were ended, for as long as their ids would be good. */
export interface EndedSessions {
  add(name: string, lifeMs: number): void | Promise<void>;
  has(name: string): boolean | Promise<boolean>;
}

/** Sessions whose ids are what was agreed on, encrypted. Nothing is kept, so they have no standing stream and no subscriptions. */
export interface SealedSessionSpec {
  /** AES-256 keys: the first one seals, and all of them open. A new key goes last in every process, then first. */
  readonly sealed: readonly Uint8Array<ArrayBuffer>[];
  /** Lets clients end their sessions. Without it, DELETE is rejected. */
  readonly ended?: EndedSessions | undefined;
  /** Lets handlers ask: the answer must come to the process that asked, as where there is only one. */
  readonly questions?: 'same-process' | undefined;
}
