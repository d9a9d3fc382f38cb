/** Skills that follow their folders: read again after a change, and told to clients as a change of resources. */
import { type FSWatcher, watch } from 'node:fs';
import { badDefinition, messageOf } from '../../errors.ts';
import { type Clock, systemClock } from '../../peer/clock.ts';
import type { SkillSet } from '../../server/part.ts';
import type { Server } from '../../server/server-interface.ts';
import { ServedSkillSet } from './skill-set.ts';

/** An editor writes a file in more than one step, and more than one file. */
const SETTLED_MS = 100;

/** What can be set about watching. */
export interface WatchSkillsOptions {
  readonly clock?: Clock;
}

/** Folders of skills that are watched. */
export interface SkillsWatch {
  /** Reads the folders now. Resolves when the server has what is in them, or when their mistakes were reported. */
  reload(): Promise<void>;
  close(): void;
}

/**
 * Keeps the skills of a server as their folders are, until it is closed. Clients are told that resources changed. While a folder has
 * a mistake, the server keeps what it had, and `onWarning` of `skills` gets the mistake.
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
      isClosed ? undefined : replace(server, skills).catch((error: unknown) => warn(messageOf(error))),
    );
    return last;
  };
  const touched = (): void => {
    cancel();
    cancel = clock.after(SETTLED_MS, () => void reload(), { idle: true });
  };
  const watchers = folders.map((folder): FSWatcher => {
    const watcher = watch(folder, { recursive: true, persistent: false }, touched);
    return watcher.on('error', (error) => warn(`${folder} is no longer watched: ${error.message}`));
  });
  const close = (): void => {
    isClosed = true;
    cancel();
    for (const watcher of watchers) watcher.close();
  };
  return { reload, close };
}

/** All at once: between two requests, a server has the old skills or the new ones. */
async function replace(server: Pick<Server, 'add' | 'remove' | 'updated'>, skills: ServedSkillSet): Promise<void> {
  const [before, after] = [skills.served, await skills.source.read()];
  const isSame = (uri: string): boolean => before.digests.get(uri) === after.digests.get(uri);
  skills.served = after;
  for (const { uri } of before.parts) if (!isSame(uri)) server.remove(uri);
  for (const part of after.parts) if (!isSame(part.uri)) server.add(part);
  for (const uri of after.digests.keys()) if (before.digests.has(uri) && !isSame(uri)) server.updated(uri);
}
