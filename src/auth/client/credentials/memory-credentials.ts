/** Credentials that are forgotten when the process ends. */
import type { CredentialStore } from './credential-store.ts';

/** Keeps credentials for as long as the process lives. */
export function memoryCredentials(): CredentialStore {
  const kept = new Map<string, string>();
  return {
    read: async (key) => kept.get(key),
    async write(key, value) {
      kept.set(key, value);
    },
    async remove(key) {
      kept.delete(key);
    },
  };
}
