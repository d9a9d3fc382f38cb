/** Messages to text. A result that never changes is written once, and its text is sent to every client. */
import type { JsonObject, Message, RpcSuccess } from './message.ts';

const TEXT: unique symbol = Symbol('text');

interface ConstantResult extends JsonObject {
  readonly [TEXT]: { json: string | undefined };
}

/** A result that does not change from now on, nor anything in it. */
export function constantResult(result: JsonObject): JsonObject {
  // Hidden: a copy that is given other members must not be taken for the original.
  return Object.freeze(Object.defineProperty({ ...result }, TEXT, { value: { json: undefined } }));
}

export const isConstant = (result: JsonObject): result is ConstantResult => TEXT in result;

/** One message, or several as one array. Throws when something in it has no JSON. */
export function write(message: Message | readonly Message[]): string {
  if (!('result' in message)) return JSON.stringify(message);
  const { id, result } = message as RpcSuccess; // nothing else has a result
  if (!isConstant(result)) return JSON.stringify(message);
  const text = result[TEXT];
  text.json ??= JSON.stringify(result);
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${text.json}}`;
}
