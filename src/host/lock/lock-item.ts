/** What a lock holds: definitions, skills, and the instructions of a server. */
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import { canonicalJson } from '../../model/canonical.ts';
import { sha256 } from '../act/binding.ts';

/** Resources are content that comes and goes, so the lock does not hold them. */
export type LockItemKind = 'tool' | 'prompt' | 'template' | 'instructions' | 'view' | 'skill';

export interface LockItem<D extends object = object> {
  readonly kind: LockItemKind;
  /** The label that the host gave the server. */
  readonly server: string;
  /** What the server calls it; instructions have no name. */
  readonly key: string;
  readonly definition: D;
}

/** What a server says about its own use. */
export function instructionsItem(server: string, instructions: string): LockItem<{ readonly instructions: string }> {
  return { kind: 'instructions', server, key: '', definition: { instructions } };
}

/** Longer ones are replaced by their hash. */
const MAX_DATA_URI = 256;

/** A definition as it is stored and compared: images by their hash, and without the date of the content. */
export function toPinnedForm(definition: object): JsonObject {
  const copy = JSON.parse(JSON.stringify(definition), (_key, value: unknown) => shortenDataUri(value)) as JsonObject; // an object went in
  if (!isObject(copy['annotations']) || !('lastModified' in copy['annotations'])) return copy;
  const { lastModified: _, ...annotations } = copy['annotations'];
  return { ...copy, annotations };
}

const shortenDataUri = (value: unknown): unknown =>
  typeof value === 'string' && value.startsWith('data:') && value.length > MAX_DATA_URI
    ? `${value.slice(0, value.indexOf(',')).slice(0, 64)},sha256:${sha256(value)}`
    : value;

export const hashForm = (form: JsonObject): string => sha256(canonicalJson(form));
