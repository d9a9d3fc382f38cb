/** Rows of `mooring servers`: configured servers, and with --status whether they respond. */
import { McpError } from '../../errors.ts';
import type { CommandSource, ConfigReport, ConfigText, UrlSource } from '../../host/index.ts';
import { networkReason } from '../../model/printable.ts';
import { maskSecrets } from '../../model/secrets.ts';
import { Interrupted } from '../exit-codes.ts';
import { type ApprovedTarget, approveTarget, openApproved } from '../target/connect-target.ts';
import type { TargetContext } from '../target/options.ts';

export interface ServerRow {
  /** The label to use as a target. */
  readonly name: string;
  readonly kind: 'command' | 'address' | undefined;
  /** The command or the URL, with variables unresolved. */
  readonly what: string;
  readonly file: string;
  readonly line: number;
  /** Other files with the same definition. */
  readonly also?: readonly { readonly file: string; readonly line: number }[];
  readonly state: 'on' | 'off' | 'ready' | 'failed';
  /** For `ready`: name and revision. For `failed`: the reason. */
  readonly detail?: string;
}

export function rowsOf({ servers, left, repeated }: ConfigReport): readonly ServerRow[] {
  const on = Object.entries(servers).map(([name, source]): ServerRow => {
    const also = repeated.filter(({ label }) => label === name).map(({ file, line }) => ({ file, line }));
    return { ...rowOf(name, source), ...(also.length === 0 ? {} : { also }) };
  });
  const off = left.map(
    ({ name, file, line }): ServerRow => ({ name, kind: undefined, what: '', file, line, state: 'off' }),
  );
  return [...on, ...off];
}

function rowOf(name: string, source: CommandSource | UrlSource): ServerRow {
  const isUrl = 'url' in source;
  const words = isUrl
    ? [source.url instanceof URL ? source.url.href : source.url]
    : [source.command, ...(source.args ?? [])];
  return {
    name,
    kind: isUrl ? 'address' : 'command',
    what: maskSecrets(words.map(sourceOf).join(' ')),
    file: source.from?.file ?? '',
    line: source.from?.line ?? 0,
    state: 'on',
  };
}

/** The text with its references, as the file has it. */
function sourceOf(text: ConfigText): string {
  if (typeof text === 'string') return text;
  return 'secret' in text ? `\${secret:${text.secret}}` : text.template;
}

/** Default of --timeout, in seconds. */
const STATUS_TIMEOUT = '10';

/** Adds the connection status to the rows. Asks for all consents one by one first, then connects in parallel. */
export async function withStatus(
  rows: readonly ServerRow[],
  { servers }: ConfigReport,
  by: TargetContext,
): Promise<readonly ServerRow[]> {
  const withTimeout: TargetContext = { ...by, values: { timeout: STATUS_TIMEOUT, ...by.values } };
  const approved = new Map<string, ApprovedTarget | Error>();
  for (const [label, source] of Object.entries(servers)) {
    by.shell.signal.throwIfAborted();
    approved.set(label, await approveTarget({ label, name: label, source }, withTimeout).catch(asError));
  }
  const bar = by.print.progress('Connecting');
  let [done, total] = [0, approved.size];
  const checked = rows.map(async (row): Promise<ServerRow> => {
    const one = row.state === 'on' ? approved.get(row.name) : undefined;
    if (one === undefined) return row;
    const outcome = one instanceof Error ? failedOutcome(one) : await tryConnect(one);
    bar.update({ progress: ++done, total, message: row.name });
    return { ...row, ...outcome };
  });
  try {
    const found = await Promise.all(checked);
    by.shell.signal.throwIfAborted();
    return found;
  } finally {
    bar.end();
  }
}

type StatusOutcome = Pick<ServerRow, 'state' | 'detail'>;

async function tryConnect(approved: ApprovedTarget): Promise<StatusOutcome> {
  try {
    await using client = await openApproved(approved);
    const { info, revision } = client.server;
    const name = info === undefined ? 'unnamed server' : `${info.name} ${info.version}`;
    return { state: 'ready', detail: `${name}, revision ${revision}` };
  } catch (error) {
    return failedOutcome(error);
  }
}

const failedOutcome = (error: unknown): StatusOutcome => ({
  state: 'failed',
  detail: error instanceof McpError ? error.message : networkReason(error),
});

/** Rethrows Ctrl-C, which ends the command instead of failing one server. */
function asError(thrown: unknown): Error {
  if (thrown instanceof Interrupted) throw thrown;
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
