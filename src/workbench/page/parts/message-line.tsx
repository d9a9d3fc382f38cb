/** A message in one line: direction, method, subject and summary. */
import type { ComponentChildren, HTMLAttributes } from 'preact';
import type { MessageRow } from '../../protocol-timeline.ts';
import { Icon } from './elements.tsx';

type LineRow = Pick<MessageRow, 'side' | 'kind' | 'method' | 'subject' | 'what' | 'isError'>;

const sides = { '>': ['sent', 'sent'], '<': ['received', 'received'], http: ['link', 'HTTP'] } as const;

export function SideIcon({ side }: Pick<MessageRow, 'side'>) {
  const [symbol, word] = sides[side];
  return <Icon name={symbol} label={word} />;
}

const isTaskMethod = (method: string): boolean => /^(?:notifications\/)?tasks\b/.test(method);

/** Subject and summary. Responses hide the subject, which their request shows; messages about tasks hide the task id if they have a summary. */
export function MessageSummary({ row: { subject, what, kind, method } }: { row: LineRow }) {
  const isResponse = kind === 'response';
  return (
    <>
      {subject !== undefined && !(isTaskMethod(method) && what !== undefined) && (
        <span class={isResponse ? 'sr' : 'mono'}>{subject} </span>
      )}
      <span class={isResponse && what !== undefined ? undefined : 'dim'}>
        {isResponse ? (what ?? 'empty result') : what}
      </span>
    </>
  );
}

/** A row of a virtualized list. Has no key, so that scrolling reuses elements. */
export function MessageLine(
  props: {
    row: LineRow | undefined;
    index: number;
    isCurrent: boolean;
    /** Columns before and after direction, method and summary. */
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
        {row && <MessageSummary row={row} />}
      </span>
      {after.map((cell, at) => (
        <span role="cell" key={String(at)} class="num end">
          {cell}
        </span>
      ))}
    </div>
  );
}
