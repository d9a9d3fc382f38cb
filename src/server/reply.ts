/** Converts what a tool returned to a result: structured data, and text that renders it. */
import { McpError } from '../errors.ts';
import { isObject, type JsonObject } from '../jsonrpc/message.ts';
import { toBase64 } from '../model/base64.ts';
import { type Content, isFlatBlock } from '../model/content.ts';
import type { CallToolResult } from '../model/parts.ts';
import { type Checked, describe } from '../schema/index.ts';
import type { DefinedTool } from './part.ts';
import { lostError, serializeReturned } from './serialize-returned.ts';

/** Data with its own rendering, made by `reply`. */
export interface Reply<D> {
  readonly data: D;
  readonly content: readonly Content[];
  readonly meta: JsonObject | undefined;
}

/** A class, so that data of the same shape is not mistaken for a reply. */
class RenderedReply<D> implements Reply<D> {
  readonly data: D;
  readonly content: readonly Content[];
  readonly meta: JsonObject | undefined;

  constructor(data: D, view: ReplyView) {
    this.data = data;
    this.content = 'text' in view ? [{ type: 'text', text: view.text }] : view.content;
    this.meta = view.meta;
  }
}
export type ReplyView = ({ readonly text: string } | { readonly content: readonly Content[] }) & {
  readonly meta?: JsonObject;
};

/** Returns data together with its rendering for this call. */
export const reply = <D>(data: D, view: ReplyView): Reply<D> => new RenderedReply(data, view);

/** Returns a promise only if the output schema is asynchronous, or if the result is in the protocol's own form. */
export function toToolResult(part: DefinedTool, returned: unknown): CallToolResult | Promise<CallToolResult> {
  const own = returned instanceof RenderedReply ? returned : undefined;
  if (part.output === undefined) {
    if (own === undefined) return resultWithoutSchema(returned, part.definition.name);
    const { content, data } = own;
    return withMeta(isObject(data) ? { content, structuredContent: data } : { content }, own);
  }
  const checked = part.output.check(own === undefined ? returned : own.data);
  return checked instanceof Promise
    ? checked.then((outcome) => withMeta(resultWithSchema(part, outcome, own), own))
    : withMeta(resultWithSchema(part, checked, own), own);
}

const withMeta = (result: CallToolResult, own: Reply<unknown> | undefined): CallToolResult =>
  own?.meta === undefined ? result : { ...result, _meta: own.meta };

/** The result of a tool with an output schema, which the data must match. */
function resultWithSchema(part: DefinedTool, checked: Checked, own: Reply<unknown> | undefined): CallToolResult {
  if (!checked.ok)
    throw new McpError('MCP_OUTPUT_MISMATCH', { tool: part.definition.name, why: describe(checked.issues) });
  // A result must be JSON, so undefined becomes null.
  const data = checked.value ?? null;
  const text = own === undefined ? part.text(data) : undefined;
  const view = own?.content ?? (text === undefined ? undefined : [{ type: 'text', text } as const]);
  const { name } = part.definition;
  if (view === undefined) return { content: [jsonBlock(data, name)], structuredContent: data };
  // Lists and primitive values are sent as JSON text too, for clients that read only objects as structured content.
  return { content: isObject(data) ? view : [...view, jsonBlock(data, name)], structuredContent: data };
}

/** The result of a tool without an output schema, from text, blocks, a result in the protocol's own form, an object, or undefined. */
function resultWithoutSchema(value: unknown, tool: string): CallToolResult | Promise<CallToolResult> {
  if (value === undefined) return { content: [] };
  if (typeof value === 'string') return { content: [{ type: 'text', text: value }] };
  const list = [value].flat().map(encodeBytes);
  if (list.every(isBlock)) return { content: list };
  if (list.some(isBlock)) return loadProtocolForm().then(({ rejectMixedList }) => rejectMixedList(list, isBlock, tool));
  if (!isObject(value)) return { content: [jsonBlock(value, tool)] };
  // An error that is returned instead of thrown still fails the call.
  if (value instanceof Error) throw value;
  if (ArrayBuffer.isView(value)) throw lostError(`tool "${tool}"`, value);
  // A Date or a URL becomes text in JSON, but structured content must be an object.
  if (typeof value['toJSON'] === 'function') return resultWithoutSchema(JSON.parse(JSON.stringify(value)), tool);
  return Array.isArray(value['content'])
    ? loadProtocolForm().then(({ callResultIn }) => callResultIn(value, tool) ?? dataResult(value, tool))
    : dataResult(value, tool);
}

const dataResult = (data: JsonObject, tool: string): CallToolResult => ({
  content: [jsonBlock(data, tool)],
  structuredContent: data,
});

/** Loads the code that checks results in the protocol's own form with the first one: most handlers return text or data. */
const loadProtocolForm = () => import('./protocol-result.ts');

const jsonBlock = (data: unknown, tool: string): Content => ({
  type: 'text',
  text: serializeReturned(data, `tool "${tool}"`),
});

/** Encodes the data of an image or audio block, if it is bytes. */
const encodeBytes = (value: unknown): unknown =>
  isObject(value) && value['data'] instanceof Uint8Array ? { ...value, data: toBase64(value['data']) } : value;

/** Whether a value is a content block, and not another object with a `type`. */
function isBlock(value: unknown): value is Content {
  if (!isObject(value)) return false;
  if (value['type'] === 'resource') return isObject(value['resource']) && typeof value['resource']['uri'] === 'string';
  return isFlatBlock(value);
}
