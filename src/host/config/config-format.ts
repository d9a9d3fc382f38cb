/** What an editor of configuration files can do, whatever the format. */
import type { JsoncNode } from '../../files/jsonc.ts';

/** All read into one kind of tree, and change one member without touching the others. They throw `JsoncFault`. */
export interface ConfigFormat {
  parse(text: string): JsoncNode;
  /** The text with `value` at `path`; what is missing on the way is made. */
  setAt(text: string, path: readonly string[], value: unknown): string;
  removeAt(text: string, path: readonly string[]): string;
  /** What a new file begins with. */
  readonly empty: string;
}
