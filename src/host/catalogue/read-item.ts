/** Converts a listed definition to a catalogue item, or rejects it with a reason. */
import { isObject } from '../../jsonrpc/message.ts';
import { keyOfItem, type ListName, lists } from '../../revisions/decode-lists.ts';
import { escapeUnprintable } from '../text/invisible.ts';
import { dropHopMeta } from './hop-meta.ts';
import type { CatalogueItem, Definitions, ItemKind } from './item.ts';
import { itemName, resourceName } from './names.ts';

/** Maximum length of a definition as JSON. Rejects larger ones, which would exhaust the readers. */
const MAX_DEFINITION: number = 128 * 1024;
const MAX_NAME = 128;
const MAX_URI = 8_192;
const MAX_TITLE = 128;

export interface RejectedItem {
  /** The reason. */
  readonly rejected: string;
}

export function readItem<K extends ItemKind>(
  kind: K,
  server: string,
  listed: Definitions[K],
): CatalogueItem<K> | RejectedItem {
  const list: ListName = `${kind}s`;
  const key = keyOfItem(lists[list], listed);
  const isAddress = kind === 'resource' || kind === 'template';
  const why = faultOf(key, isAddress ? MAX_URI : MAX_NAME, listed);
  if (why !== undefined)
    return { rejected: `the ${kind} ${escapeUnprintable(JSON.stringify(key.slice(0, MAX_NAME)))} ${why}` };
  const name = isAddress ? resourceName(server, key) : itemName(server, key);
  const meta = listed._meta;
  // Still of kind K: only keys of _meta were removed.
  const definition = isObject(meta) ? ({ ...listed, _meta: dropHopMeta(meta) } as Definitions[K]) : listed;
  return { kind, server, key, name, title: titleOf(definition), definition };
}

function faultOf(key: string, longest: number, definition: object): string | undefined {
  if (key === '') return 'has no name';
  if (key.length > longest) return `has a name of more than ${longest} characters`;
  return JSON.stringify(definition).length > MAX_DEFINITION
    ? `has a definition of more than ${MAX_DEFINITION} characters`
    : undefined;
}

/** The title, `annotations.title` or the name, on one line, with invisible characters escaped. */
function titleOf({ title, annotations, name }: { title?: unknown; annotations?: unknown; name?: unknown }): string {
  const hint = isObject(annotations) ? annotations['title'] : undefined;
  const chosen = [title, hint, name].find((one) => typeof one === 'string' && one.trim() !== '');
  const line = escapeUnprintable(String(chosen ?? ''))
    .replace(/\s+/g, ' ')
    .trim();
  return line.length > MAX_TITLE ? `${line.slice(0, MAX_TITLE - 1)}…` : line;
}
