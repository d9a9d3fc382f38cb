/** Steps in order, and how a state looks: checks, a sign-in, the life of a view, what a task said. */
import type { ComponentChildren, HTMLAttributes } from 'preact';
import { Icon, type Tone } from './elements.tsx';

/** The same symbol and tone wherever something passed, failed, waits or goes on. */
export type StateLook = readonly [symbol: string, tone?: Tone];

const passed: StateLook = ['check', 'ok'];
const failed: StateLook = ['failed', 'bad'];
const warning: StateLook = ['warning', 'warn'];
const skipped: StateLook = ['skipped'];

const looks: ReadonlyMap<string, StateLook> = new Map<string, StateLook>([
  ['todo', ['idle']],
  ['working', ['working']],
  ['input_required', ['asks', 'warn']],
  ...['passed', 'completed', 'accepted', 'verified'].map((state) => [state, passed] as const),
  ...['failed', 'changed', 'missing'].map((state) => [state, failed] as const),
  ...['warning', 'unverifiable'].map((state) => [state, warning] as const),
  ...['skipped', 'cancelled'].map((state) => [state, skipped] as const),
  // Of a sign-in.
  ['asked', ['sent']],
  ['chosen', ['right', 'accent']],
]);

/** A state that a server made up is a fact, no more. */
export const lookOf = (state: string): StateLook => looks.get(state) ?? ['info'];

export interface StepRow {
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
      {rows.map(({ what, time, state, notes = [], name }, at) => (
        <li key={`${at} ${state}`} data-tone={lookOf(state)[1]} data-state={state} data-view-step={name}>
          <Icon name={lookOf(state)[0]} />
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
