/** The interface of the JSON, TOML and YAML editors. */
import type { JsoncNode } from '../../files/jsonc.ts';

/** Parses a format into the common tree, and edits one member without changing other bytes. Methods throw `JsoncFault`. */
export interface ConfigFormat {
  parse(text: string): JsoncNode;
  /** Returns the text with `value` at `path`. Creates missing parents. */
  setAt(text: string, path: readonly string[], value: unknown): string;
  removeAt(text: string, path: readonly string[]): string;
  /** The initial text of a new file. */
  readonly empty: string;
}
