/** The JSON object that a text is; undefined for any other text. */
import { isObject, type JsonObject } from './message.ts';

export function objectIn(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
