/** What a tool returned, as a result: data once, text as a view of it. */
import { McpError } from '../errors.ts';
import { isObject, type JsonObject } from '../jsonrpc/message.ts';
import { toBase64 } from '../model/base64.ts';
import { type Content, isFlatBlock } from '../model/content.ts';
import type { CallToolResult } from '../model/parts.ts';
import { type Checked, describe } from '../schema/index.ts';
import type { DefinedTool } from './part.ts';
import { lostError, serializeReturned } from './serialize-returned.ts';

/** What `reply` makes: data with a rendering of its own. */
export interface Reply<D> {
  readonly data: D;
  readonly content: readonly Content[];
  readonly meta: JsonObject | undefined;
}

/** Known by its class, so that data of the same shape is not taken for one. */
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

/** Returns data and says for this one call how it reads. */
export const reply = <D>(data: D, view: ReplyView): Reply<D> => new RenderedReply(data, view);

/** A promise only where the output schema needs one, or the result is in the protocol's own form. */
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

/** With an output schema, what is returned must match it. */
function resultWithSchema(part: DefinedTool, checked: Checked, own: Reply<unknown> | undefined): CallToolResult {
  if (!checked.ok)
    throw new McpError('MCP_OUTPUT_MISMATCH', { tool: part.definition.name, why: describe(checked.issues) });
  // A result has to be JSON: nothing is null.
  const data = checked.value ?? null;
  const text = own === undefined ? part.text(data) : undefined;
  const view = own?.content ?? (text === undefined ? undefined : [{ type: 'text', text } as const]);
  const { name } = part.definition;
  if (view === undefined) return { content: [jsonBlock(data, name)], structuredContent: data };
  // Lists and single values are also there as text, for clients that read objects only.
  return { content: isObject(data) ? view : [...view, jsonBlock(data, name)], structuredContent: data };
}

/** Without one: text, blocks, a result in the protocol's own form, an object, or nothing. */
function resultWithoutSchema(value: unknown, tool: string): CallToolResult | Promise<CallToolResult> {
  if (value === undefined) return { content: [] };
  if (typeof value === 'string') return { content: [{ type: 'text', text: value }] };
  const list = [value].flat().map(encodeBytes);
  if (list.every(isBlock)) return { content: list };
  if (list.some(isBlock)) return loadProtocolForm().then(({ rejectMixedList }) => rejectMixedList(list, isBlock, tool));
  if (!isObject(value)) return { content: [jsonBlock(value, tool)] };
  // Returned instead of thrown, an error is an error all the same.
  if (value instanceof Error) throw value;
  if (ArrayBuffer.isView(value)) throw lostError(`tool "${tool}"`, value);
  // A date or a URL is text in JSON, and not the object that structured content must be.
  if (value['toJSON']) return resultWithoutSchema(JSON.parse(JSON.stringify(value)), tool);
  return Array.isArray(value['content'])
    ? loadProtocolForm().then(({ callResultIn }) => callResultIn(value, tool) ?? dataResult(value, tool))
    : dataResult(value, tool);
}

const dataResult = (data: JsonObject, tool: string): CallToolResult => ({
  content: [jsonBlock(data, tool)],
  structuredContent: data,
});

/** What looks at results in the protocol's own form is loaded with the first of them: most handlers return text or data. */
const loadProtocolForm = () => import('./protocol-result.ts');

const jsonBlock = (data: unknown, tool: string): Content => ({
  type: 'text',
  text: serializeReturned(data, `tool "${tool}"`),
});

/** The data of a picture or sound can be bytes. */
const encodeBytes = (value: unknown): unknown =>
  isObject(value) && value['data'] instanceof Uint8Array ? { ...value, data: toBase64(value['data']) } : value;

/** A content block, and not an object of the author's that has a `type` too. */
function isBlock(value: unknown): value is Content {
  if (!isObject(value)) return false;
  if (value['type'] === 'resource') return isObject(value['resource']) && typeof value['resource']['uri'] === 'string';
  return isFlatBlock(value);
}
