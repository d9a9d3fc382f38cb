/** How a server is met: as it was the last time, if that is known, and as it turns out where it is no longer so. */
import type { Client } from '../../client/index.ts';
import { McpError } from '../../errors.ts';
import { findRevision } from '../../revisions/index.ts';
import { claimedName } from '../act/claims.ts';

/** Remembers across restarts which servers need a handshake. */
export interface HandshakeStore {
  /** What the server at this address called itself when it was met with a handshake; undefined if it was not, or nobody knows. */
  recallHandshake(server: string, address: string): Promise<string | undefined>;
  /** It was met with a handshake under this name, or nothing is known of it any more. */
  rememberHandshake(server: string, address: string, name: string | undefined): Promise<void>;
}

export class HandshakeHint {
  readonly #label: string;
  readonly #memory: HandshakeStore;
  #address = '';
  #name: string | undefined;

  constructor(label: string, memory: HandshakeStore) {
    this.#label = label;
    this.#memory = memory;
  }

  /** Whether to begin with a handshake. */
  async expectsHandshake(address: string): Promise<boolean> {
    this.#address = address;
    this.#name = await this.#memory.recallHandshake(this.#label, address);
    return this.#name !== undefined;
  }

  /** Who calls itself otherwise by now may have learnt to do without a handshake: next time it is asked. */
  async connected({ server: { revision, info } }: Client): Promise<void> {
    const name = claimedName(info);
    const same = this.#name === undefined || this.#name === name;
    await this.#note(same && findRevision(revision)?.lifecycle.handshake === true ? name : undefined);
  }

  /** Whoever refuses a handshake was asked at once; who does not answer it at all is asked the next time. */
  async failed(error: unknown): Promise<void> {
    const late = error instanceof McpError && error.code === 'MCP_TIMEOUT';
    if (late && this.#name !== undefined) await this.#note(undefined);
  }

  async #note(name: string | undefined): Promise<void> {
    if (name !== this.#name) await this.#memory.rememberHandshake(this.#label, this.#address, name);
  }
}
