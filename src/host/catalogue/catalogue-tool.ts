/** Converts a listed tool for users and models: escapes invisible characters and truncates long text. */
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import { MAX_DEPTH } from '../../jsonrpc/read.ts';
import type { Tool } from '../../model/parts.ts';
import { withoutDefaultDialect } from '../../schema/index.ts';
import type { DefinitionStatus } from '../act/act.ts';
import type { DefinitionCheck } from '../lock/lock.ts';
import { escapeUnprintable } from '../text/invisible.ts';
import type { CatalogueItem } from './item.ts';

/** Maximum length of a description. `definition` keeps the full text. */
const MAX_DESCRIPTION = 4_096;

/** A tool of one of the servers, with a unique name. */
export interface CatalogueTool {
  /** The server's label and its own name of the tool, such as `shop.refund`. */
  readonly name: string;
  /** The label; empty for the tools of the host itself. */
  readonly server: string;
  /** For display. */
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  /** The server's definition, unmodified. */
  readonly definition: Tool;
  /** The hash that approvals are bound to. */
  readonly hash: string;
  readonly status: DefinitionStatus;
  /** Changes since the approval, and suspicious text. */
  readonly warnings: readonly string[];
}

export function toCatalogueTool(item: CatalogueItem<'tool'>, check: DefinitionCheck): CatalogueTool {
  const { name, server, title, definition } = item;
  const { status, reasons: warnings, definition: hash } = check;
  const description = shorten(escapeUnprintable(definition.description ?? ''));
  const inputSchema = toReadable(withoutDefaultDialect(definition.inputSchema));
  return { name, server, title, description, inputSchema, definition, hash, status, warnings };
}

const shorten = (text: string): string =>
  text.length <= MAX_DESCRIPTION ? text : `${text.slice(0, MAX_DESCRIPTION)}… [${text.length} characters]`;

const prose: ReadonlySet<string> = new Set(['title', 'description', '$comment']);
/** Keywords whose value is an object with user-defined keys. */
const named: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions', 'patternProperties']);

/** Copies a schema, and escapes and truncates its prose. Names and values stay unchanged, because calls use them. */
function toReadable(schema: JsonObject, depth = 0): JsonObject {
  // Keys come from the server: a null prototype prevents prototype pollution through `__proto__`.
  const copy: Record<string, unknown> = Object.create(null);
  for (const [key, value] of Object.entries(schema)) {
    if (prose.has(key) && typeof value === 'string') copy[key] = shorten(escapeUnprintable(value));
    else
      copy[key] =
        named.has(key) && isObject(value) ? readableMembers(value, depth + 1) : readableValue(value, depth + 1);
  }
  return copy;
}

function readableMembers(schemas: JsonObject, depth: number): JsonObject {
  const copy: Record<string, unknown> = Object.create(null);
  for (const [name, schema] of Object.entries(schemas)) copy[name] = readableValue(schema, depth);
  return copy;
}

function readableValue(value: unknown, depth: number): unknown {
  if (depth > MAX_DEPTH) return value;
  if (Array.isArray(value)) return value.map((one: unknown) => readableValue(one, depth + 1));
  return isObject(value) ? toReadable(value, depth) : value;
}
