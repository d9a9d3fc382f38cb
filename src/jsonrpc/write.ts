/** Serializes messages. A constant result is serialized once, and the text is reused for every client. */
import type { JsonObject, Message, RpcNotification, RpcRequest, RpcSuccess } from './message.ts';

const TEXT: unique symbol = Symbol('text');

interface ConstantResult extends JsonObject {
  readonly [TEXT]: { json: string | undefined; bytes?: Uint8Array<ArrayBuffer> };
}

/** A serialized message: all of it as text, or the beginning as text and the rest as cached bytes. */
export type MessageBody = string | { readonly text: string; readonly rest: Uint8Array<ArrayBuffer> };

/** Minimum length in characters of a constant result that is cached as bytes: encoding dominates the cost of a long one (bench: `tools-list`). */
const LONG = 16_384;

/** Marks a result as constant, so that its serialized form is cached. The caller must not change it later, at any depth. */
export function constantResult(result: JsonObject): JsonObject {
  // Not enumerable: a spread with other members must not copy the cached text.
  return Object.freeze(Object.defineProperty({ ...result }, TEXT, { value: { json: undefined } }));
}

export const isConstant = (result: JsonObject): result is ConstantResult => TEXT in result;

/** Serializes one message, or several as one array. Throws if a value cannot be serialized. */
export function write(message: Message | readonly Message[]): string {
  if (!('result' in message)) return 'method' in message ? writeCall(message) : JSON.stringify(message);
  const { id, result } = message as RpcSuccess; // only success responses have a result
  if (!isConstant(result)) return JSON.stringify(message);
  const text = result[TEXT];
  text.json ??= JSON.stringify(result);
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${text.json}}`;
}

/** Serializes each member separately, which takes a third less time than the whole (bench: `progress`). */
function writeCall(message: RpcRequest | RpcNotification): string {
  const id = 'id' in message ? `"id":${JSON.stringify(message.id)},` : '';
  const params: string | undefined = JSON.stringify(message.params);
  const rest = params === undefined ? '' : `,"params":${params}`;
  return `{"jsonrpc":"2.0",${id}"method":${JSON.stringify(message.method)}${rest}}`;
}

/** Serializes one message for a channel that sends bytes. Encodes a long constant result only once. Throws as `write` does. */
export function writeBody(message: Message): MessageBody {
  const result = 'result' in message ? message.result : undefined;
  if (result === undefined || !isConstant(result)) return JSON.stringify(message);
  const cached = result[TEXT];
  if (cached.bytes === undefined) {
    const text = write(message);
    if (text.length < LONG) return text;
    cached.bytes = new TextEncoder().encode(`${cached.json}}`);
    // Frees the text: few servers also serve pipes, which need it.
    cached.json = undefined;
  }
  const { id } = message as RpcSuccess; // only success responses have a result
  return { text: `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`, rest: cached.bytes };
}
