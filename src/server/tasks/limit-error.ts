/** The error of a request that would exceed a limit of unfinished tasks. */
import { RpcError } from '../../errors.ts';
import { INTERNAL_ERROR } from '../../jsonrpc/message.ts';
import type { TaskLimits } from '../../model/task-record.ts';

export function limitError(name: keyof TaskLimits, limit: number | undefined): RpcError {
  const what = name === 'maxBytes' ? 'bytes in unfinished tasks' : 'unfinished tasks';
  return new RpcError(INTERNAL_ERROR, `Too many ${what}: ${limit} (${name})`);
}
