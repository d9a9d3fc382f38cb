/** Asking the user: a flat form, or a page of the server's own to visit. */
import type { JsonObject } from '../jsonrpc/message.ts';

/** An object schema whose properties are primitives: strings, numbers, booleans, choices. */
export interface FormSchema {
  readonly $schema?: string;
  readonly type: 'object';
  readonly properties: Readonly<Record<string, JsonObject>>;
  readonly required?: readonly string[];
}
/** What a field of a form may hold. */
export type FormValue = string | number | boolean | readonly string[];
/** What the user said. */
export interface ElicitResult {
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly content?: Readonly<Record<string, FormValue>>;
}
