/** `CredentialStore`, the interface for storing credentials between runs, and its in-memory implementation. */
import { McpError } from '../../../errors.ts';

/** Stores credentials between runs. For a keychain, implement `read`, `write` and `remove`. */
export interface CredentialStore {
  read(key: string): Promise<string | undefined>;
  write(key: string, value: string): Promise<void>;
  remove(key: string): Promise<void>;
  /**
   * Runs the work while no other process that shares the store runs work for this key (mutual exclusion). Most refresh tokens are
   * single-use: without a lock, processes that refresh concurrently can invalidate each other's token and end the sign-in.
   */
  whileLocked?<T>(key: string, work: () => Promise<T>): Promise<T>;
}

/** Stores credentials in memory, until the process ends. */
export function memoryCredentials(): CredentialStore {
  const stored = new Map<string, string>();
  return {
    read: async (key) => stored.get(key),
    write: async (key, value) => void stored.set(key, value),
    remove: async (key) => void stored.delete(key),
  };
}

export const credentialStoreError = (path: string, why: string, cause?: unknown): McpError =>
  new McpError('MCP_AUTH_STORE', { path, why }, { cause });
