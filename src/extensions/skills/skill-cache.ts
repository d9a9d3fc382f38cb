/** Caches files of skills for hosts, in memory or in a folder. The cache is not trusted: hosts verify files again when they read them. */
import { createHash } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { PRIVATE_FILE } from '../../files/private-file.ts';
import { readFileBytes } from '../../files/read-file.ts';
import { replaceFile } from '../../files/replace-file.ts';
import { MAX_SKILL_BYTES } from './skill-entry.ts';

/** Identifies a cached file by server, URI and digest. */
export interface SkillCacheKey {
  /** The label that the host gave the server. */
  readonly server: string;
  readonly uri: string;
  readonly digest: string;
}

/** A cache for files of skills. The host verifies every file that it reads from the cache. */
export interface SkillCache {
  get(key: SkillCacheKey): Promise<Uint8Array<ArrayBuffer> | undefined>;
  set(key: SkillCacheKey, bytes: Uint8Array<ArrayBuffer>): Promise<void>;
  /** Removes all files of a server. Called when the server is removed from the host. */
  remove(server: string): Promise<void>;
}

/** Beyond this size, the oldest files are evicted. */
const MAX_MEMORY_BYTES: number = 4 * MAX_SKILL_BYTES;

/** Caches files in memory. */
export function memorySkillCache(): SkillCache {
  const cached = new Map<string, { readonly server: string; readonly bytes: Uint8Array<ArrayBuffer> }>();
  const keyOf = ({ server, uri, digest }: SkillCacheKey): string => JSON.stringify([server, uri, digest]);
  const size = (): number => [...cached.values()].reduce((sum, { bytes }) => sum + bytes.length, 0);
  return {
    get: async (key) => cached.get(keyOf(key))?.bytes,
    async set(key, bytes) {
      cached.set(keyOf(key), { server: key.server, bytes });
      for (const [oldest] of cached) {
        if (size() <= MAX_MEMORY_BYTES) break;
        cached.delete(oldest);
      }
    },
    async remove(label) {
      for (const [key, { server }] of cached) if (server === label) cached.delete(key);
    },
  };
}

/**
 * Caches files in a private folder, with one subfolder for each server. No file is named `SKILL.md`, so that no program mistakes it for
 * a skill that the user installed. Removing a server from the host removes its subfolder.
 */
export function skillCache(folder: string): SkillCache {
  // Encodes labels against path traversal. Labels of hosts never need it, but other callers can pass any text.
  const folderOf = (label: string): string => join(resolve(folder), `server-${encodeURIComponent(label)}`);
  const pathOf = ({ server, uri, digest }: SkillCacheKey): string =>
    join(
      folderOf(server),
      `${createHash('sha256').update(uri).digest('hex').slice(0, 32)}-${digest.replace(/^\w+:/, '')}`,
    );
  return {
    async get(key) {
      const bytes = await readFileBytes(pathOf(key), { maxBytes: MAX_SKILL_BYTES, noLinks: true });
      return bytes === undefined ? undefined : new Uint8Array(bytes);
    },
    async set(key, bytes) {
      await mkdir(folderOf(key.server), { recursive: true, mode: 0o700 });
      // Removes a symbolic link first, which replaceFile would follow.
      await rm(pathOf(key), { force: true });
      await replaceFile(pathOf(key), bytes, { mode: PRIVATE_FILE });
    },
    remove: (label) => rm(folderOf(label), { recursive: true, force: true }),
  };
}
