/** Files of skills that were verified once. Every reader verifies what it gets again. */
import { createHash } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { PRIVATE_FILE } from '../../files/private-file.ts';
import { readFileBytes } from '../../files/read-file.ts';
import { replaceFile } from '../../files/replace-file.ts';
import { MAX_SKILL_BYTES } from './skill-entry.ts';

/** Which file it is: of which server, under which URI, with which digest. */
export interface SkillCacheKey {
  /** The label that the host gave the server. */
  readonly server: string;
  readonly uri: string;
  readonly digest: string;
}

/** Where a host keeps files of skills. The host verifies what it gets from here. */
export interface SkillCache {
  get(key: SkillCacheKey): Promise<Uint8Array<ArrayBuffer> | undefined>;
  set(key: SkillCacheKey, bytes: Uint8Array<ArrayBuffer>): Promise<void>;
  /** The server was removed from the host. */
  remove(server: string): Promise<void>;
}

/** The oldest files go first. */
const MAX_MEMORY_BYTES: number = 4 * MAX_SKILL_BYTES;

/** Keeps files for as long as the process lives. */
export function memorySkillCache(): SkillCache {
  const kept = new Map<string, { readonly server: string; readonly bytes: Uint8Array<ArrayBuffer> }>();
  const keyOf = ({ server, uri, digest }: SkillCacheKey): string => JSON.stringify([server, uri, digest]);
  const size = (): number => [...kept.values()].reduce((sum, { bytes }) => sum + bytes.length, 0);
  return {
    get: async (key) => kept.get(keyOf(key))?.bytes,
    async set(key, bytes) {
      kept.set(keyOf(key), { server: key.server, bytes });
      for (const [oldest] of kept) {
        if (size() <= MAX_MEMORY_BYTES) break;
        kept.delete(oldest);
      }
    },
    async remove(label) {
      for (const [key, { server }] of kept) if (server === label) kept.delete(key);
    },
  };
}

/**
 * Keeps files in a folder that only this user can read, below one folder for each server. None is called `SKILL.md`, so that no
 * program takes it for a skill of the user's own. Removing a server from the host removes its folder.
 */
export function skillCache(folder: string): SkillCache {
  // Labels of hosts need no encoding; those of others get some, so that none leads elsewhere.
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
      // A link in its place would be followed.
      await rm(pathOf(key), { force: true });
      await replaceFile(pathOf(key), bytes, { mode: PRIVATE_FILE });
    },
    remove: (label) => rm(folderOf(label), { recursive: true, force: true }),
  };
}
