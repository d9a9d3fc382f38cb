/** What can be pinned: definitions, and the text with which a server introduces itself. */
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import { canonicalJson } from '../../model/canonical.ts';
import { sha256 } from '../act/binding.ts';

/** Resources are content, and come and go; they are not pinned. */
export type PinnedKind = 'tool' | 'prompt' | 'template' | 'instructions';

export interface Pinnable {
  readonly kind: PinnedKind;
  /** The label that the host gave the server. */
  readonly server: string;
  /** What the server calls it; instructions have no name. */
  readonly key: string;
  readonly definition: object;
}

/** The text with which a server introduces itself; what it says of all its parts is no part itself. */
export const instructionsPart = (server: string, instructions: string): Pinnable => ({
  kind: 'instructions',
  server,
  key: '',
  definition: { instructions },
});

/** Longer ones are known by their hash. */
const MAX_DATA_URI = 256;

/** A definition as it is written down and compared: pictures by their hash, and without what is said of content. */
export function pinnedForm(definition: object): JsonObject {
  const copy = JSON.parse(JSON.stringify(definition), (_key, value: unknown) => brief(value)) as JsonObject; // an object went in
  if (!isObject(copy['annotations']) || !('lastModified' in copy['annotations'])) return copy;
  const { lastModified: _, ...annotations } = copy['annotations'];
  return { ...copy, annotations };
}

const brief = (value: unknown): unknown =>
  typeof value === 'string' && value.startsWith('data:') && value.length > MAX_DATA_URI
    ? `${value.slice(0, value.indexOf(',')).slice(0, 64)},sha256:${sha256(value)}`
    : value;

export const hashOf = (form: JsonObject): string => sha256(canonicalJson(form));
