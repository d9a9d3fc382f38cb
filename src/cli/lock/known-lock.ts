/** Finds the servers of a command line in a lock file: configured servers by their label, typed ones by their URL or command. */
import { type LockedServers, readLock } from '../../host/lock/lock-file.ts';
import { portableAddress } from '../../host/lock/portable-address.ts';
import { quoteCommand } from '../../host/servers/quote-command.ts';
import { displayUrl } from '../../model/printable.ts';
import type { CommandTarget } from '../target/target.ts';

export interface KnownLock {
  readonly path: string;
  readonly pinned: LockedServers;
}

/** Warnings about the file are left to the host, which reads it too. */
export const readKnownLock = async (path: string): Promise<KnownLock> => ({
  path,
  pinned: await readLock(path, () => undefined),
});

/** The label of the server that is in the lock with this URL or command. */
export const labelAt = (address: string, { path, pinned }: KnownLock): string | undefined =>
  [...pinned].find(([, server]) => server.address === portableAddress(address, path))?.[0];

/** The label of a typed target in the lock; undefined if the lock does not have it. */
export function lockedLabel({ source }: CommandTarget, lock: KnownLock): string | undefined {
  if ('url' in source) return labelAt(displayUrl(new URL(String(source.url))), lock);
  return labelAt(quoteCommand(source.shownAs ?? [source.command, ...(source.args ?? [])].map(String)), lock);
}
