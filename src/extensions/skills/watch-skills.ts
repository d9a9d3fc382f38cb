/** `watchSkills`: hot reload for folders of skills. Reads them again after a change, and notifies clients of changed resources. */
import { type FSWatcher, watch } from 'node:fs';
import { badDefinition, messageOf } from '../../errors.ts';
import { type Clock, systemClock } from '../../peer/clock.ts';
import type { DefinedResource, SkillSet } from '../../server/part.ts';
import type { Server } from '../../server/server-interface.ts';
import { ServedSkillSet } from './skill-set.ts';

/** Debounces changes, because editors write a file in several steps, and several files at once. */
const DEBOUNCE_MS = 100;

/** Settings of `watchSkills`. */
export interface WatchSkillsOptions {
  readonly clock?: Clock;
}

/** A running watch on folders of skills. */
export interface SkillsWatch {
  /** Reads the folders now. Resolves when the server has the new content, or when faults were reported to `onWarning`. */
  reload(): Promise<void>;
  close(): void;
}

/**
 * Watches the folders of a skill set, updates the server after a change, and notifies its clients. While a folder has a fault, the
 * server keeps the previous skills, and `onWarning` of `skills` gets the fault. Call `close` to stop.
 */
export function watchSkills(
  server: Pick<Server, 'add' | 'remove' | 'updated'>,
  skills: SkillSet,
  { clock = systemClock }: WatchSkillsOptions = {},
): SkillsWatch {
  if (!(skills instanceof ServedSkillSet)) throw badDefinition('skills', 'make them with skills() of mooring/skills');
  const { folders, warn } = skills.source;
  let last: Promise<void> = Promise.resolve();
  let cancel: () => void = () => undefined;
  let isClosed = false;
  const reload = (): Promise<void> => {
    last = last.then(() =>
      isClosed ? undefined : replaceSkills(server, skills).catch((error: unknown) => warn(messageOf(error))),
    );
    return last;
  };
  const scheduleReload = (): void => {
    cancel();
    cancel = clock.after(DEBOUNCE_MS, () => void reload(), { idle: true });
  };
  const watchers = folders.map((folder): FSWatcher => {
    const watcher = watch(folder, { recursive: true, persistent: false }, scheduleReload);
    return watcher.on('error', (error) => warn(`${folder} is no longer watched: ${error.message}`));
  });
  const close = (): void => {
    isClosed = true;
    cancel();
    for (const watcher of watchers) watcher.close();
  };
  return { reload, close };
}

/**
 * Replaces all skills in one synchronous step, so that a request gets either the old skills or the new ones. If the server has another
 * resource with the URI of a new file, throws, and the old skills stay.
 */
async function replaceSkills(
  server: Pick<Server, 'add' | 'remove' | 'updated'>,
  skills: ServedSkillSet,
): Promise<void> {
  const [before, after] = [skills.served, await skills.source.read()];
  const isSame = ({ uri }: DefinedResource): boolean => before.digests.get(uri) === after.digests.get(uri);
  const isNew = ({ uri }: DefinedResource): boolean => !before.digests.has(uri);
  const changed = after.parts.filter((part) => !isSame(part));
  // First, because only these can fail.
  addAll(server, changed.filter(isNew));
  skills.served = after;
  for (const part of before.parts) if (!isSame(part)) server.remove(part.uri);
  for (const part of changed) {
    if (isNew(part)) continue;
    server.add(part);
    server.updated(part.uri);
  }
}

/** Adds all of these parts, or none. */
function addAll(server: Pick<Server, 'add' | 'remove'>, parts: readonly DefinedResource[]): void {
  for (const [count, part] of parts.entries())
    try {
      server.add(part);
    } catch (thrown) {
      for (const { uri } of parts.slice(0, count)) server.remove(uri);
      throw thrown;
    }
}
