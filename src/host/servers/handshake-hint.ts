/** Remembers whether a server needs a handshake, which saves the question at the next start. */
import type { Client } from '../../client/index.ts';
import { McpError } from '../../errors.ts';
import { findRevision, revisionIds } from '../../revisions/index.ts';
import { claimedName } from '../act/claims.ts';

/** Remembers across restarts which servers need a handshake. */
export interface HandshakeStore {
  /** The name of the server that took a handshake at this address; undefined if none did, or it is unknown. */
  recallHandshake(server: string, address: string): Promise<string | undefined>;
  /** A server of this name took a handshake; undefined forgets it. */
  rememberHandshake(server: string, address: string, name: string | undefined): Promise<void>;
}

export class HandshakeHint {
  readonly #label: string;
  readonly #memory: HandshakeStore;
  #address = '';
  #name: string | undefined;
  /** False where the host offers revisions of one kind alone: what is agreed then says nothing about the server. */
  #hasChoice = true;

  constructor(label: string, memory: HandshakeStore) {
    this.#label = label;
    this.#memory = memory;
  }

  /** Whether to begin with a handshake. `revisions` are those that the host offers. */
  async expectsHandshake(address: string, revisions: readonly string[] = revisionIds): Promise<boolean> {
    this.#address = address;
    this.#hasChoice = new Set(revisions.map((id) => findRevision(id)?.hasSessions)).size > 1;
    this.#name = this.#hasChoice ? await this.#memory.recallHandshake(this.#label, address) : undefined;
    return this.#name !== undefined;
  }

  /** A server with another name or version can have learned to do without: it is asked the next time. */
  async connected({ server: { revision, info } }: Client): Promise<void> {
    const name = claimedName(info);
    const same = this.#name === undefined || this.#name === name;
    await this.#note(same && findRevision(revision)?.hasSessions === true ? name : undefined);
  }

  /** The client asks a server that rejects a handshake at once. One that does not answer is asked the next time. */
  async failed(error: unknown): Promise<void> {
    const late = error instanceof McpError && error.code === 'MCP_TIMEOUT';
    if (late && this.#name !== undefined) await this.#note(undefined);
  }

  async #note(name: string | undefined): Promise<void> {
    if (this.#hasChoice && name !== this.#name) await this.#memory.rememberHandshake(this.#label, this.#address, name);
  }
}
