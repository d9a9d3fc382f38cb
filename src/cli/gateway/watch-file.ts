/** Watches one file, also where a symbolic link on the way to it is switched, as in a mounted ConfigMap. */
import { createHash } from 'node:crypto';
import { readFileBytes } from '../../files/read-file.ts';
import type { Clock } from '../../peer/clock.ts';

/** More is read by no gateway. */
const MAX_BYTES: number = 4 * 1024 * 1024;
/** Read again and compared: events of the system miss a link that is switched. */
const LOOK_MS = 1_000;

/** Returns what ends it. */
export function watchFile(path: string, clock: Clock, changed: () => void): () => void {
  let isOver = false;
  let known: string | undefined;
  const look = async (): Promise<void> => {
    const bytes = await readFileBytes(path, { maxBytes: MAX_BYTES }).catch(() => undefined);
    // A file that is away for a moment is being replaced.
    const digest = bytes === undefined ? known : createHash('sha256').update(bytes).digest('hex');
    if (isOver) return;
    if (known !== undefined && digest !== known) changed();
    known = digest;
    clock.after(LOOK_MS, () => void look(), { idle: true });
  };
  void look();
  return () => {
    isOver = true;
  };
}
