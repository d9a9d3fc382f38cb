/** Options of sessions that are encrypted into their ids. */

/** A revocation list: remembers ended sessions until their ids would have expired. */
export interface EndedSessions {
  add(name: string, lifeMs: number): void | Promise<void>;
  has(name: string): boolean | Promise<boolean>;
}

/** Stateless sessions: the id is the encrypted session. Nothing is stored, so there is no GET stream and no `resources/subscribe`. */
export interface SealedSessionSpec {
  /** AES-256 keys. The first one encrypts, all of them decrypt. To rotate keys, add the new one last in every process, then move it first. */
  readonly sealed: readonly Uint8Array<ArrayBuffer>[];
  /** Lets clients end their sessions. Without it, DELETE is rejected. */
  readonly ended?: EndedSessions | undefined;
  /** Lets handlers ask questions. The answer must reach the process that asked: run one process, or use sticky sessions. */
  readonly questions?: 'same-process' | undefined;
}
