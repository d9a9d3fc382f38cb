/** Withholds parts from callers regardless of rules: unapproved definitions, invisible characters in names, pages of other upstreams. */
import type { DefinitionStatus } from '../../host/act/act.ts';
import { isToolFor } from '../../host/catalogue/tool-audience.ts';
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import { printable, removeUnprintable } from '../../model/printable.ts';
import type { ExposedPart } from '../contract.ts';
import type { GatewayLock } from './gateway-lock.ts';

/** The part as callers see it, or why it is withheld. */
export type ScreenedPart = { readonly part: ExposedPart } | { readonly withheld: string };

export interface PartScreen {
  readonly lock?: GatewayLock | undefined;
  /** Whether this view passes on the pages (MCP Apps) of this upstream. */
  readonly passesApps: boolean;
}

export function screenPart(listed: ExposedPart, { lock, passesApps }: PartScreen): ScreenedPart {
  if (printable(listed.key) !== listed.key) return { withheld: 'its name has characters that cannot be seen' };
  const part = { ...listed, definition: readableTitles(listed.definition), status: lock?.statusOf(listed) };
  const unapproved = lock && statusFault(part.status, lock.newParts);
  if (unapproved !== undefined) return { withheld: unapproved };
  return passesApps ? { part } : withoutApps(part);
}

/** Users read titles instead of names, so titles must not contain invisible characters. */
function readableTitles(definition: JsonObject): JsonObject {
  const { title, annotations } = definition;
  return {
    ...definition,
    ...(typeof title === 'string' ? { title: removeUnprintable(title) } : {}),
    ...(isObject(annotations) ? { annotations: readableTitles(annotations) } : {}),
  };
}

function statusFault(status: DefinitionStatus | undefined, newParts: GatewayLock['newParts']): string | undefined {
  if (status === undefined || status === 'approved' || (status === 'new' && newParts === 'allow')) return undefined;
  return status === 'new'
    ? 'its definition is new, and was not approved'
    : `its definition is ${status}, and has not been approved since`;
}

/**
 * A host sees a view as one server, and lets pages of a server call all its tools. Therefore tools are marked as callable by models
 * only, and tools for pages only are withheld.
 */
function withoutApps(part: ExposedPart): ScreenedPart {
  const { kind, key, definition } = part;
  if (kind === 'resource' || kind === 'template')
    return /^ui:/i.test(key) ? { withheld: 'pages of this upstream are not passed on in this view' } : { part };
  if (kind !== 'tool') return { part };
  const meta = isObject(definition['_meta']) ? definition['_meta'] : {};
  if (!isToolFor('model', { _meta: meta })) return { withheld: 'only pages of its upstream can call it' };
  return { part: { ...part, definition: { ...definition, _meta: modelOnly(meta) } } };
}

function modelOnly({ 'ui/resourceUri': _old, ui, ...meta }: JsonObject): JsonObject {
  const { resourceUri: _uri, ...rest } = isObject(ui) ? ui : {};
  return { ...meta, ui: { ...rest, visibility: ['model'] } };
}
