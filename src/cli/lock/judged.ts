/** How everything that a server offers stands to what the lock holds. */
import type { DefinitionStatus } from '../../host/act/act.ts';
import type { Lock } from '../../host/lock/lock.ts';
import type { Pinned } from '../../host/lock/lock-file.ts';
import type { Pinnable, PinnedKind } from '../../host/lock/pinnable.ts';
import { namesOfOthers, type OtherServers as Others } from '../../host/text/other-servers.ts';
import { printable } from '../../model/printable.ts';
import { failureData, failureText, type ListFailure } from '../offer.ts';
import { type Printer, table } from '../printer.ts';
import type { Met } from './meet.ts';

export interface JudgedPart {
  readonly part: Pinnable;
  readonly standing: DefinitionStatus;
  readonly reasons: readonly string[];
}

export interface JudgedServer {
  readonly server: string;
  readonly address: string;
  readonly parts: readonly JudgedPart[];
  /** Pinned, and no longer offered. */
  readonly gone: readonly string[];
  readonly refused: readonly string[];
  readonly failed: readonly ListFailure[];
}

/** The lock is told of the server first. */
export async function judged(met: Met, lock: Lock, pinned: Pinned): Promise<JudgedServer> {
  const { label, address, contacts, refused, failed } = met;
  for (const contact of contacts) await lock.meet(contact);
  const all = contacts.flatMap(({ parts }) => parts);
  const others = othersOf(label, all, pinned);
  const parts = all.map((part) => ({ part, ...lock.judge(part, others) }));
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

export const waiting = ({ parts }: JudgedServer): readonly JudgedPart[] =>
  parts.filter(({ standing }) => standing !== 'pinned');

const colours = {
  pinned: 'dim',
  cosmetic: 'dim',
  narrower: 'dim',
  new: 'cyan',
  wider: 'yellow',
  suspicious: 'red',
} as const;

export function judgedLines(judgement: JudgedServer, print: Printer): readonly string[] {
  const { server, address, parts, gone, refused, failed } = judgement;
  const waits = waiting(judgement);
  const rows = waits.map(({ standing, part, reasons }) => [
    standing,
    printable(nameOfPinned(part)),
    printable(reasons.join('; ').replaceAll('\n', ' ')),
  ]);
  return [
    `${print.style('bold', printable(server))}  ${printable(address)}`,
    `  ${parts.length - waits.length} of ${parts.length} as pinned`,
    ...table(rows).map((line, at) => {
      const { standing = 'new' } = waits[at] ?? {};
      return line.replace(standing, print.style(colours[standing], standing));
    }),
    ...gone.map((id) => `  gone  ${printable(id.trim())}`),
    ...refused.map((why) => `  ${print.style('red', 'refused')}  ${printable(why)}`),
    ...failed.map((one) => `  ${print.style('red', 'failed')}  ${printable(failureText(one))}`),
  ];
}

/** Instructions have no name. */
export const nameOfPinned = ({ kind, key }: { readonly kind: PinnedKind; readonly key: string }): string =>
  `${kind} ${key}`.trim();

/** For programs. */
export const judgedData = ({ parts, failed, ...rest }: JudgedServer) => ({
  ...rest,
  ...(failed.length === 0 ? {} : { failed: failed.map(failureData) }),
  parts: parts.map(({ part: { kind, key }, standing, reasons }) => ({ kind, name: key, standing, reasons })),
});
