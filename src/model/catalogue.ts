/** What a server offers, as types only: so that a client can check names, arguments and results before anything runs. */

/** Every tool, prompt and resource of one server. */
export interface Catalogue {
  readonly tools: Readonly<Record<string, { readonly input: unknown; readonly output: unknown }>>;
  readonly prompts: Readonly<Record<string, { readonly args: unknown }>>;
  /** The URIs it serves; a template such as `orders://{id}` is spelled with `${string}` in place of its variables. */
  readonly resources: string;
}

/** A value whose type carries a catalogue. The member never exists at run time. */
export interface Typed<T extends Catalogue> {
  readonly '~types'?: T;
}
