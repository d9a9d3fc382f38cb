/** Messages to text. A result that never changes is written once, and its text is sent to every client. */
import type { JsonObject, Message, RpcNotification, RpcRequest, RpcSuccess } from './message.ts';

const TEXT: unique symbol = Symbol('text');

interface ConstantResult extends JsonObject {
  readonly [TEXT]: { json: string | undefined; bytes?: Uint8Array<ArrayBuffer> };
}

/** A message that is sent as bytes: its text, or the beginning of it and the bytes of the rest. */
export type MessageBody = string | { readonly text: string; readonly rest: Uint8Array<ArrayBuffer> };

/** From so many characters on, a result that never changes is kept as bytes: encoding it takes longer than all else (bench: `tools-list`). */
const LONG = 16_384;

/** A result that does not change from now on, nor anything in it. */
export function constantResult(result: JsonObject): JsonObject {
  // Hidden: a copy that is given other members must not be taken for the original.
  return Object.freeze(Object.defineProperty({ ...result }, TEXT, { value: { json: undefined } }));
}

export const isConstant = (result: JsonObject): result is ConstantResult => TEXT in result;

/** One message, or several as one array. Throws when something in it has no JSON. */
export function write(message: Message | readonly Message[]): string {
  if (!('result' in message)) return 'method' in message ? writeCall(message) : JSON.stringify(message);
  const { id, result } = message as RpcSuccess; // nothing else has a result
  if (!isConstant(result)) return JSON.stringify(message);
  const text = result[TEXT];
  text.json ??= JSON.stringify(result);
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${text.json}}`;
}

/** In parts: that takes a third less time than in one (bench: `progress`). */
function writeCall(message: RpcRequest | RpcNotification): string {
  const id = 'id' in message ? `"id":${JSON.stringify(message.id)},` : '';
  const params: string | undefined = JSON.stringify(message.params);
  const rest = params === undefined ? '' : `,"params":${params}`;
  return `{"jsonrpc":"2.0",${id}"method":${JSON.stringify(message.method)}${rest}}`;
}

/** One message for a channel of bytes. A long result that never changes is encoded once. Throws as `write` does. */
export function writeBody(message: Message): MessageBody {
  const result = 'result' in message ? message.result : undefined;
  if (result === undefined || !isConstant(result)) return JSON.stringify(message);
  const kept = result[TEXT];
  if (kept.bytes === undefined) {
    const text = write(message);
    if (text.length < LONG) return text;
    kept.bytes = new TextEncoder().encode(`${kept.json}}`);
    // One of the two is enough: few servers have pipes too.
    kept.json = undefined;
  }
  const { id } = message as RpcSuccess; // nothing else has a result
  return { text: `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`, rest: kept.bytes };
}
