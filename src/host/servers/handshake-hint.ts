/** Remembers whether a server needs a handshake, to skip the probe at the next start. */
import type { Client } from '../../client/index.ts';
import { McpError } from '../../errors.ts';
import { findRevision, revisionIds } from '../../revisions/index.ts';
import { claimedName } from '../act/claims.ts';

/** Stores across restarts which servers need a handshake. */
export interface HandshakeStore {
  /** The claimed name of the server at this address that last needed a handshake, if any. */
  recallHandshake(server: string, address: string): Promise<string | undefined>;
  /** Stores that a server with this claimed name needs a handshake; undefined deletes the entry. */
  rememberHandshake(server: string, address: string, name: string | undefined): Promise<void>;
}

export class HandshakeHint {
  readonly #label: string;
  readonly #memory: HandshakeStore;
  #address = '';
  #name: string | undefined;
  /** False if all offered revisions have sessions, or none has: the result then tells nothing about the server. */
  #hasChoice = true;

  constructor(label: string, memory: HandshakeStore) {
    this.#label = label;
    this.#memory = memory;
  }

  /** Whether to start with a handshake. `revisions` are those that the host offers. */
  async expectsHandshake(address: string, revisions: readonly string[] = revisionIds): Promise<boolean> {
    this.#address = address;
    this.#hasChoice = new Set(revisions.map((id) => findRevision(id)?.hasSessions)).size > 1;
    this.#name = this.#hasChoice ? await this.#memory.recallHandshake(this.#label, address) : undefined;
    return this.#name !== undefined;
  }

  /** Updates the entry. A server whose name or version changed may not need a handshake any more, so it is probed the next time. */
  async connected({ server: { revision, info } }: Client): Promise<void> {
    const name = claimedName(info);
    const isSame = this.#name === undefined || this.#name === name;
    await this.#remember(isSame && findRevision(revision)?.hasSessions === true ? name : undefined);
  }

  /** Deletes the entry if the handshake timed out, to probe the next time. If it is rejected, the client itself probes. */
  async failed(error: unknown): Promise<void> {
    const isTimeout = error instanceof McpError && error.code === 'MCP_TIMEOUT';
    if (isTimeout && this.#name !== undefined) await this.#remember(undefined);
  }

  async #remember(name: string | undefined): Promise<void> {
    if (this.#hasChoice && name !== this.#name) await this.#memory.rememberHandshake(this.#label, this.#address, name);
  }
}
