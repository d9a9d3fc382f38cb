/** The type of a verb (a JSON-RPC method of the workbench): its params and its result. */
export interface Verb<P, R> {
  readonly params: P;
  readonly result: R;
}
export type Nothing = Readonly<Record<string, never>>;
