/** What a verb of the workbench is: its params and its result. Types only. */
export interface Verb<P, R> {
  readonly params: P;
  readonly result: R;
}
export type Nothing = Readonly<Record<string, never>>;
