/** What a server listed becomes a part of the catalogue, or a reason why not. */
import { isObject } from '../../jsonrpc/message.ts';
import { escapeUnprintable } from '../text/invisible.ts';
import { dropHopMeta } from './hop-meta.ts';
import type { CatalogueItem, Definitions, ItemKind } from './item.ts';
import { partName, resourceName } from './names.ts';
import { titleOf } from './titles.ts';

/** Of a definition as JSON. Larger ones are no definitions but an attack on whoever reads them. */
const MAX_DEFINITION: number = 128 * 1024;
const MAX_NAME = 128;
const MAX_URI = 8_192;

export interface RejectedPart {
  readonly refused: string;
}

const keyOf: { readonly [K in ItemKind]: (definition: Definitions[K]) => string } = {
  tool: ({ name }) => name,
  prompt: ({ name }) => name,
  resource: ({ uri }) => uri,
  template: ({ uriTemplate }) => uriTemplate,
};

export function readPart<K extends ItemKind>(
  kind: K,
  server: string,
  listed: Definitions[K],
): CatalogueItem<K> | RejectedPart {
  const key = keyOf[kind](listed);
  const isAddress = kind === 'resource' || kind === 'template';
  const why = faultOf(key, isAddress ? MAX_URI : MAX_NAME, listed);
  if (why !== undefined)
    return { refused: `the ${kind} ${escapeUnprintable(JSON.stringify(key.slice(0, MAX_NAME)))} ${why}` };
  const name = isAddress ? resourceName(server, key) : partName(server, key);
  const meta = listed._meta;
  // The same definition with fewer keys in its _meta.
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
