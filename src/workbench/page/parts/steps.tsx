/** Steps in order: checks, a sign-in, the life of a view, what a task said. */
import type { ComponentChildren, HTMLAttributes } from 'preact';
import { Icon, type Tone } from './elements.tsx';

export interface StepRow {
  readonly symbol: string;
  readonly tone?: Tone | undefined;
  readonly what: ComponentChildren;
  /** When, or how long. */
  readonly time?: string | undefined;
  readonly state: string;
  /** What is known of it, each on a line. */
  readonly notes?: readonly ComponentChildren[];
  readonly name?: string;
}

export function Steps({ rows, ...rest }: { rows: readonly StepRow[] } & HTMLAttributes<HTMLOListElement>) {
  return (
    <ol class="steps" {...(rest as object)}>
      {rows.map(({ symbol, tone, what, time, state, notes = [], name }, at) => (
        <li key={`${at} ${state}`} data-tone={tone} data-state={state} data-view-step={name}>
          <Icon name={symbol} />
          <span class="what">{what}</span>
          <span class="num">{time}</span>
          {notes
            .filter((note) => note !== undefined)
            .map((note, line) => (
              <small key={String(line)} data-tone={line === 0 && state === 'failed' ? 'bad' : undefined}>
                {note}
              </small>
            ))}
        </li>
      ))}
    </ol>
  );
}
