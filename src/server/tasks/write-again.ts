/** Repeats a write to a task store that fails, so that a short fault does not lose what a handler did. */
import { McpError, RpcError } from '../../errors.ts';
import type { Clock } from '../../peer/clock.ts';
import { sleep } from '../../peer/wait.ts';
import type { NowOrLater } from './now-or-later.ts';

/** The pause before a write is repeated. */
export const STORE_PAUSE_MS = 1_000;
/** How often a write is tried in all. */
const MAX_TRIES = 10;

/** Writes, and repeats the write while the store fails. */
export async function writeSafely<T>(
  write: () => NowOrLater<T>,
  clock: Clock,
  run: { readonly signal: AbortSignal },
): Promise<T> {
  try {
    return await write();
  } catch (failure) {
    return writeAgain(failure, write, clock, run);
  }
}

/** Repeats a write that has failed, until the run is aborted. Rejects with the last failure. */
export async function writeAgain<T>(
  failure: unknown,
  write: () => NowOrLater<T>,
  clock: Clock,
  { signal }: { readonly signal: AbortSignal },
): Promise<T> {
  let last = failure;
  for (let tries = 1; tries < MAX_TRIES && !isRejection(last); tries++) {
    await sleep(clock, STORE_PAUSE_MS, signal);
    try {
      return await write();
    } catch (again) {
      last = again;
    }
  }
  throw last;
}

/** Whether a write failed because of what is written, such as its size: then it would fail again. */
export const isRejection = (failure: unknown): failure is Error =>
  failure instanceof RpcError || (failure instanceof McpError && failure.code === 'MCP_TOO_LARGE');
