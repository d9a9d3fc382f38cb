/** A tool as it is shown to people and to models: nothing in its text that cannot be seen, and not too much of it. */
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import { MAX_DEPTH } from '../../jsonrpc/read.ts';
import type { Tool } from '../../model/parts.ts';
import { withoutDefaultDialect } from '../../schema/index.ts';
import type { DefinitionStatus } from '../act/act.ts';
import type { DefinitionCheck } from '../lock/lock.ts';
import { escapeUnprintable } from '../text/invisible.ts';
import type { CatalogueItem } from './item.ts';

/** Of a description. The definition has the whole of it. */
const MAX_DESCRIPTION = 4_096;

/** A tool of one of the servers, under a name that no other has. */
export interface CatalogueTool {
  /** `shop.refund`: the label of the server, and what the server calls it. */
  readonly name: string;
  /** The label; empty for the tools of the host itself. */
  readonly server: string;
  /** For people. */
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  /** As the server gave it. */
  readonly definition: Tool;
  /** The hash that approvals are bound to. */
  readonly hash: string;
  readonly status: DefinitionStatus;
  /** What changed since it was approved, and what is odd about it. */
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
/** Members whose own members are named by the author. */
const named: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions', 'patternProperties']);

/** The same schema with its text made legible. Names and values are data, and stay as they are. */
function toReadable(schema: JsonObject, depth = 0): JsonObject {
  // Names are the server's: no prototype, so that each of them is a name.
  const copy: Record<string, unknown> = Object.create(null);
  for (const [key, value] of Object.entries(schema)) {
    if (prose.has(key) && typeof value === 'string') copy[key] = shorten(escapeUnprintable(value));
    else copy[key] = named.has(key) && isObject(value) ? eachOf(value, depth + 1) : below(value, depth + 1);
  }
  return copy;
}

function eachOf(schemas: JsonObject, depth: number): JsonObject {
  const copy: Record<string, unknown> = Object.create(null);
  for (const [name, schema] of Object.entries(schemas)) copy[name] = below(schema, depth);
  return copy;
}

function below(value: unknown, depth: number): unknown {
  if (depth > MAX_DEPTH) return value;
  if (Array.isArray(value)) return value.map((one: unknown) => below(one, depth + 1));
  return isObject(value) ? toReadable(value, depth) : value;
}
