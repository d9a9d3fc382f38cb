/** How everything that a server offers stands to what the lock holds. */
import type { DefinitionStatus } from '../../host/act/act.ts';
import type { Lock } from '../../host/lock/lock.ts';
import type { Pinned } from '../../host/lock/lock-file.ts';
import type { Pinnable, PinnedKind } from '../../host/lock/pinnable.ts';
import { namesOfOthers, type OtherServers as Others } from '../../host/text/other-servers.ts';
import { printable } from '../../model/printable.ts';
import { failureData, failureText, type ListFailure } from '../offer.ts';
import { type Printer, table } from '../printer.ts';
import type { ListedServer } from './list-for-lock.ts';

export interface ComparedItem {
  readonly part: Pinnable;
  readonly status: DefinitionStatus;
  readonly reasons: readonly string[];
}

export interface LockComparisonResult {
  readonly server: string;
  readonly address: string;
  readonly parts: readonly ComparedItem[];
  /** Pinned, and no longer offered. */
  readonly gone: readonly string[];
  readonly refused: readonly string[];
  readonly failed: readonly ListFailure[];
}

/** The lock is told of the server first. */
export async function compareWithLock(met: ListedServer, lock: Lock, pinned: Pinned): Promise<LockComparisonResult> {
  const { label, address, contacts, refused, failed } = met;
  for (const contact of contacts) await lock.record(contact);
  const all = contacts.flatMap(({ parts }) => parts);
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

/** The text of one server must not speak of another's tools. */
function othersOf(label: string, own: readonly Pinnable[], pinned: Pinned): Others {
  const rest = [...pinned].filter(([name]) => name !== label);
  const tools = rest.flatMap(([, { pins }]) =>
    [...pins.keys()].flatMap((id) => (id.startsWith('tool ') ? [id.slice(5)] : [])),
  );
  return namesOfOthers(
    rest.map(([name]) => name),
    tools,
    new Set(own.map(({ key }) => key)),
  );
}

export const unapprovedItems = ({ parts }: LockComparisonResult): readonly ComparedItem[] =>
  parts.filter(({ status }) => status !== 'pinned');

const colours = {
  pinned: 'dim',
  cosmetic: 'dim',
  narrower: 'dim',
  new: 'cyan',
  wider: 'yellow',
  suspicious: 'red',
} as const;

export function comparisonLines(judgement: LockComparisonResult, print: Printer): readonly string[] {
  const { server, address, parts, gone, refused, failed } = judgement;
  const waits = unapprovedItems(judgement);
  const rows = waits.map(({ status, part, reasons }) => [
    status,
    printable(itemName(part)),
    printable(reasons.join('; ').replaceAll('\n', ' ')),
  ]);
  return [
    `${print.style('bold', printable(server))}  ${printable(address)}`,
    `  ${parts.length - waits.length} of ${parts.length} as pinned`,
    ...table(rows).map((line, at) => {
      const { status = 'new' } = waits[at] ?? {};
      return line.replace(status, print.style(colours[status], status));
    }),
    ...gone.map((id) => `  gone  ${printable(id.trim())}`),
    ...refused.map((why) => `  ${print.style('red', 'refused')}  ${printable(why)}`),
    ...failed.map((one) => `  ${print.style('red', 'failed')}  ${printable(failureText(one))}`),
  ];
}

/** Instructions have no name. */
export const itemName = ({ kind, key }: { readonly kind: PinnedKind; readonly key: string }): string =>
  `${kind} ${key}`.trim();

/** For programs. */
export const comparisonData = ({ parts, failed, ...rest }: LockComparisonResult) => ({
  ...rest,
  ...(failed.length === 0 ? {} : { failed: failed.map(failureData) }),
  parts: parts.map(({ part: { kind, key }, status, reasons }) => ({ kind, name: key, status, reasons })),
});
