/** The items that a lock pins: definitions, skills, and the instructions of a server. */
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import { canonicalJson } from '../../model/canonical.ts';
import { sha256 } from '../act/binding.ts';

/** Resources are not pinned: they are content, which changes all the time. */
export type LockItemKind = 'tool' | 'prompt' | 'template' | 'instructions' | 'view' | 'skill';

export interface LockItem<D extends object = object> {
  readonly kind: LockItemKind;
  /** The label that the host gave the server. */
  readonly server: string;
  /** The server's name or URI for the item; empty for instructions. */
  readonly key: string;
  readonly definition: D;
}

/** A server's instructions as an item of the lock. */
export function instructionsItem(server: string, instructions: string): LockItem<{ readonly instructions: string }> {
  return { kind: 'instructions', server, key: '', definition: { instructions } };
}

/** Longer data URIs are replaced by their hash. */
const MAX_DATA_URI = 256;

/**
 * The form in which a definition is stored and compared: long data URIs of icons by their hash, and without `lastModified`. All other
 * text stays whole, because it is inspected and shown in this form.
 */
export function toPinnedForm(definition: object): JsonObject {
  const { icons, ...others } = definition as { readonly icons?: unknown }; // any object may have the member
  const pictures = icons === undefined ? {} : { icons: JSON.parse(JSON.stringify(icons), shortenDataUri) as unknown };
  const copy = { ...JSON.parse(JSON.stringify(others)), ...pictures } as JsonObject; // a copy of an object
  if (!isObject(copy['annotations']) || !('lastModified' in copy['annotations'])) return copy;
  const { lastModified: _, ...annotations } = copy['annotations'];
  return { ...copy, annotations };
}

const shortenDataUri = (_key: string, value: unknown): unknown =>
  typeof value === 'string' && value.startsWith('data:') && value.length > MAX_DATA_URI
    ? `${value.slice(0, value.indexOf(',')).slice(0, 64)},sha256:${sha256(value)}`
    : value;

export const hashForm = (form: JsonObject): string => sha256(canonicalJson(form));
