/** Watches one file, also where a symbolic link on the way to it is switched, as in a mounted ConfigMap. */
import { createHash } from 'node:crypto';
import { readFileBytes } from '../../files/read-file.ts';
import type { Clock } from '../../peer/clock.ts';

/** More is read by no gateway. */
const MAX_BYTES: number = 4 * 1024 * 1024;
/** Read again and compared: events of the system miss a link that is switched. */
const LOOK_MS = 1_000;

/** Undefined for a file that is away. */
export async function fileDigest(path: string): Promise<string | undefined> {
  const bytes = await readFileBytes(path, { maxBytes: MAX_BYTES }).catch(() => undefined);
  return bytes === undefined ? undefined : createHash('sha256').update(bytes).digest('hex');
}

interface FileWatchOptions {
  readonly clock: Clock;
  /** As it was before it was used: what is written between the two must not be missed. */
  readonly known: string;
  changed(): void;
}

/** Returns what ends it. */
export function watchFile(path: string, { clock, known: first, changed }: FileWatchOptions): () => void {
  let isOver = false;
  let known = first;
  const look = async (): Promise<void> => {
    // A file that is away for a moment is being replaced.
    const digest = (await fileDigest(path)) ?? known;
    if (isOver) return;
    if (digest !== known) changed();
    known = digest;
    clock.after(LOOK_MS, () => void look(), { idle: true });
  };
  void look();
  return () => {
    isOver = true;
  };
}
