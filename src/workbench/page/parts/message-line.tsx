/** A message in a line: which way it went, what it is about, then what it says. */
import type { ComponentChildren, HTMLAttributes } from 'preact';
import type { MessageRow } from '../../protocol-timeline.ts';
import { Icon } from './elements.tsx';

type LineRow = Pick<MessageRow, 'side' | 'kind' | 'method' | 'subject' | 'what' | 'isError'>;

const sides = { '>': ['sent', 'sent'], '<': ['received', 'received'], http: ['link', 'HTTP'] } as const;

export function SideIcon({ side }: Pick<MessageRow, 'side'>) {
  const [symbol, word] = sides[side];
  return <Icon name={symbol} label={word} />;
}

/** The id of a task says less than how it is. */
const isOfTask = (method: string): boolean => /^(?:notifications\/)?tasks\b/.test(method);

/** A response says what came; what it is about is seen at its request, above it. */
export function WhatItSays({ row: { subject, what, kind, method } }: { row: LineRow }) {
  const isResponse = kind === 'response';
  return (
    <>
      {subject !== undefined && !(isOfTask(method) && what !== undefined) && (
        <span class={isResponse ? 'sr' : 'mono'}>{subject} </span>
      )}
      <span class={isResponse && what !== undefined ? undefined : 'dim'}>
        {isResponse ? (what ?? 'empty result') : what}
      </span>
    </>
  );
}

/** Without keys: what scrolls by takes the elements of what was there before. */
export function MessageLine(
  props: {
    row: LineRow | undefined;
    index: number;
    isCurrent: boolean;
    /** Columns before and after what all lists have. */
    before: readonly ComponentChildren[];
    after?: readonly ComponentChildren[];
    onOpen(): void;
  } & HTMLAttributes<HTMLDivElement>,
) {
  const { row, index, isCurrent, before, after = [], onOpen, ...rest } = props;
  return (
    <div
      class="trow"
      role="row"
      aria-rowindex={index + 1}
      aria-selected={isCurrent}
      data-row={row === undefined ? undefined : ''}
      tabIndex={isCurrent ? 0 : -1}
      onClick={onOpen}
      onKeyDown={(event) => event.key === 'Enter' && onOpen()}
      {...(rest as object)}
    >
      {before.map((cell, at) => (
        <span role="cell" key={String(at)} class={at < 2 ? 'num dim' : 'cut'}>
          {cell}
        </span>
      ))}
      <span role="cell">{row && <SideIcon side={row.side} />}</span>
      <span role="cell" class="mono cut method" title={row?.method}>
        {row?.isError === true && <Icon name="failed" tone="bad" label="error" />} {row?.method}
      </span>
      <span role="cell" class="cut" title={row?.what}>
        {row && <WhatItSays row={row} />}
      </span>
      {after.map((cell, at) => (
        <span role="cell" key={String(at)} class="num end">
          {cell}
        </span>
      ))}
    </div>
  );
}
