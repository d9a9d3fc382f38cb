/** Which servers can be reached: each is connected to, all at once, and none is waited for beyond a bound. */

import { McpError } from '../../errors.ts';
import type { ConfigReport } from '../../host/index.ts';
import { networkReason } from '../../model/printable.ts';
import { Interrupted } from '../exit-codes.ts';
import { type ApprovedTarget, approveTarget, openApproved } from '../target/connect-target.ts';
import type { TargetContext } from '../target/options.ts';
import type { ServerRow } from './listing.ts';

const SECONDS = '10';

/** The rows with what became of them. What has to be asked for is asked one by one, before anything is started. */
export async function withStatus(
  rows: readonly ServerRow[],
  { servers }: ConfigReport,
  by: TargetContext,
): Promise<readonly ServerRow[]> {
  const bound: TargetContext = { ...by, values: { timeout: SECONDS, ...by.values } };
  const reached = new Map<string, ApprovedTarget | Error>();
  for (const [label, source] of Object.entries(servers)) {
    by.shell.signal.throwIfAborted();
    reached.set(label, await approveTarget({ label, name: label, source }, bound).catch(asError));
  }
  const bar = by.print.progress('Connecting');
  let [done, total] = [0, reached.size];
  const checked = rows.map(async (row): Promise<ServerRow> => {
    const one = row.state === 'on' ? reached.get(row.name) : undefined;
    if (one === undefined) return row;
    const outcome = one instanceof Error ? failed(one) : await connected(one);
    bar.update({ progress: ++done, total, message: row.name });
    return { ...row, ...outcome };
  });
  try {
    return await Promise.all(checked);
  } finally {
    bar.end();
  }
}

type StatusOutcome = Pick<ServerRow, 'state' | 'detail'>;

async function connected(reached: ApprovedTarget): Promise<StatusOutcome> {
  try {
    await using client = await openApproved(reached);
    const { info, revision } = client.server;
    const name = info === undefined ? 'a server without a name' : `${info.name} ${info.version}`;
    return { state: 'ready', detail: `${name}, revision ${revision}` };
  } catch (error) {
    return failed(error);
  }
}

const failed = (error: unknown): StatusOutcome => ({
  state: 'failed',
  detail: error instanceof McpError ? error.message : networkReason(error),
});

/** Ctrl-C is no answer about one server. */
function asError(thrown: unknown): Error {
  if (thrown instanceof Interrupted) throw thrown;
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
