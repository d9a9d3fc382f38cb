/** Every server of every configuration file, as it is written there, and whether it can be reached. */
import { McpError } from '../../errors.ts';
import type { CommandSource, ConfigReport, ConfigText, UrlSource } from '../../host/index.ts';
import { networkReason } from '../../model/printable.ts';
import { maskSecrets } from '../../model/secrets.ts';
import { Interrupted } from '../exit-codes.ts';
import { type ApprovedTarget, approveTarget, openApproved } from '../target/connect-target.ts';
import type { TargetContext } from '../target/options.ts';

export interface ServerRow {
  /** As it is typed on this command line. */
  readonly name: string;
  readonly kind: 'command' | 'address' | undefined;
  /** The command or the address; what is only named there stays a name. */
  readonly what: string;
  readonly file: string;
  readonly line: number;
  /** Other files that define it in the same way. */
  readonly also?: readonly { readonly file: string; readonly line: number }[];
  readonly state: 'on' | 'off' | 'ready' | 'failed';
  /** With `ready`, what it is; with `failed`, why. */
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
    what: maskSecrets(words.map(written).join(' ')),
    file: source.from?.file ?? '',
    line: source.from?.line ?? 0,
    state: 'on',
  };
}

function written(text: ConfigText): string {
  if (typeof text === 'string') return text;
  return 'secret' in text ? `\${secret:${text.secret}}` : text.template;
}

/** Connecting to one server takes no longer. */
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
