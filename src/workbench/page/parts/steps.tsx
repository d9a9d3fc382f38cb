/** A list of steps with their states: doctor checks, sign-ins, the lifecycle of a view, states of a task. */
import type { ComponentChildren, HTMLAttributes } from 'preact';
import { Icon, type Tone } from './elements.tsx';

/** Symbol and tone of a state, the same on all screens. */
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
  ...['failed', 'changed'].map((state) => [state, failed] as const),
  ...['warning', 'unverifiable'].map((state) => [state, warning] as const),
  ...['skipped', 'cancelled'].map((state) => [state, skipped] as const),
  // Outcomes of sign-in steps.
  ['asked', ['sent']],
  ['chosen', ['right', 'accent']],
]);

/** Unknown states, which a server can invent, get a neutral symbol. */
export const lookOf = (state: string): StateLook => looks.get(state) ?? ['info'];

export interface StepRow {
  readonly what: ComponentChildren;
  /** A time or a duration. */
  readonly time?: string | undefined;
  readonly state: string;
  /** Details, one per line. */
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
