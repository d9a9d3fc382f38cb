/** Compares the definitions of a server with the lock file, for `mooring lock`. */
import type { DefinitionStatus } from '../../host/act/act.ts';
import type { Lock } from '../../host/lock/lock.ts';
import type { LockedServers } from '../../host/lock/lock-file.ts';
import type { LockItem, LockItemKind } from '../../host/lock/lock-item.ts';
import { type NamesOfOthers, ServerNames } from '../../host/text/other-servers.ts';
import { printable } from '../../model/printable.ts';
import { failedData, failureText, type ListFailure } from '../offer.ts';
import type { Printer } from '../printer.ts';
import type { ListedServer } from './list-for-lock.ts';

export interface ComparedItem {
  readonly part: LockItem;
  readonly status: DefinitionStatus;
  readonly reasons: readonly string[];
}

export interface LockComparisonResult {
  readonly server: string;
  readonly address: string;
  readonly parts: readonly ComparedItem[];
  /** Ids in the lock that the server no longer offers. */
  readonly gone: readonly string[];
  readonly refused: readonly string[];
  readonly failed: readonly ListFailure[];
}

export async function compareWithLock(
  listedServer: ListedServer,
  lock: Lock,
  pinned: LockedServers,
): Promise<LockComparisonResult> {
  const { label, address, contacts, refused, failed } = listedServer;
  for (const contact of contacts) await lock.record(contact);
  const all = contacts.flatMap(({ items: parts }) => parts);
  const others = othersOf(label, all, pinned);
  const parts = all.map((part) => ({ part, ...lock.check(part, others) }));
  const here = new Set(all.map(({ kind, key }) => `${kind} ${key}`));
  const listed = new Set<string>(contacts.map(({ kind }) => kind));
  const gone = [...(pinned.get(label)?.pins.keys() ?? [])].filter(
    (id) => !here.has(id) && (listed.has(kindOf(id)) || kindOf(id) === 'instructions'),
  );
  return { server: label, address, parts, gone, refused, failed };
}

const kindOf = (id: string): string => id.split(' ', 1)[0] ?? '';

/** Names of other servers' tools: a description that mentions one is suspicious. */
function othersOf(label: string, own: readonly LockItem[], pinned: LockedServers): NamesOfOthers {
  const toolsIn = (ids: Iterable<string>): string[] =>
    [...ids].flatMap((id) => (id.startsWith('tool ') ? [id.slice('tool '.length)] : []));
  const toolsOf = new Map([...pinned].map(([name, { pins }]) => [name, toolsIn(pins.keys())]));
  const ownTools = own.map(({ key }) => key);
  return new ServerNames(toolsOf.set(label, ownTools)).othersOf(label);
}

export const unapprovedItems = ({ parts }: LockComparisonResult): readonly ComparedItem[] =>
  parts.filter(({ status }) => status !== 'approved');

const colors = {
  approved: 'dim',
  new: 'cyan',
  changed: 'yellow',
  suspicious: 'red',
} as const;

export function comparisonLines(result: LockComparisonResult, print: Printer): readonly string[] {
  const { server, address, parts, gone, refused, failed } = result;
  const unapproved = unapprovedItems(result);
  return [
    `${print.style('bold', printable(server))}  ${printable(address)}`,
    `  ${parts.length - unapproved.length} of ${parts.length} approved`,
    ...unapproved.flatMap(({ status, part, reasons }) => [
      `  ${print.style(colors[status], status)}  ${printable(lockItemName(part))}`,
      ...reasons.map((reason) => `    ${printable(reason.replaceAll('\n', ' '))}`),
    ]),
    ...gone.map((id) => `  removed  ${printable(id.trim())}`),
    ...refused.map((why) => `  ${print.style('red', 'rejected')}  ${printable(why)}`),
    ...failed.map((one) => `  ${print.style('red', 'failed')}  ${printable(failureText(one))}`),
  ];
}

/** `tool refund`; `instructions` alone, which have no name. */
export const lockItemName = ({ kind, key }: { readonly kind: LockItemKind; readonly key: string }): string =>
  `${kind} ${key}`.trim();

/** The entry in the output of --json. */
export const comparisonData = ({ parts, failed, ...rest }: LockComparisonResult) => ({
  ...rest,
  ...failedData(failed),
  parts: parts.map(({ part: { kind, key }, status, reasons }) => ({ kind, name: key, status, reasons })),
});
