/** Messages to text. A result that never changes is written once, and its text is sent to everybody who asks. */
import type { JsonObject, Message, Success } from './message.ts';

const TEXT: unique symbol = Symbol('text');

interface Lasting extends JsonObject {
  readonly [TEXT]: { json: string | undefined };
}

/** A result that nobody changes from now on, nor anything in it. */
export function lasting(result: JsonObject): JsonObject {
  // Hidden: a copy that is given other members must not be taken for the original.
  return Object.freeze(Object.defineProperty({ ...result }, TEXT, { value: { json: undefined } }));
}

export const isLasting = (result: JsonObject): result is Lasting => TEXT in result;

/** One message, or several as one array. Throws when there is something in it that JSON cannot say. */
export function write(message: Message | readonly Message[]): string {
  if (!isOutcome(message) || !isLasting(message.result)) return JSON.stringify(message);
  const text = message.result[TEXT];
  text.json ??= JSON.stringify(message.result);
  return `{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":${text.json}}`;
}

const isOutcome = (message: Message | readonly Message[]): message is Success => 'result' in message;
