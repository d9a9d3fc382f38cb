/** Elicitation: asking the user with a flat form, or with a web page of the server. */
import { isObject, type JsonObject } from '../jsonrpc/message.ts';

/** An object schema whose properties are primitives: strings, numbers, booleans, choices. */
export type FormSchema = {
  readonly $schema?: string;
  readonly type: 'object';
  readonly properties: Readonly<Record<string, JsonObject>>;
  readonly required?: readonly string[];
};
/** The value of a form field. */
export type FormValue = string | number | boolean | readonly string[];
/** The user's answer. */
export type ElicitResult = {
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly content?: Readonly<Record<string, FormValue>>;
};

/** The error code, in one revision, for a request that fails because the user must visit a page first. */
export const URL_ELICITATION_REQUIRED = -32042;

/** Pages per error: as many visits as a client waits for at once. */
export const MAX_VISITS = 100;

/** The pages in the data of such an error. Empty if one of them is malformed, or if there are more than MAX_VISITS. */
export function requiredVisitsIn(data: unknown): readonly JsonObject[] {
  const visits = isObject(data) ? data['elicitations'] : undefined;
  return Array.isArray(visits) && visits.length <= MAX_VISITS && visits.every(isVisit) ? visits : [];
}

const isVisit = (one: unknown): one is JsonObject =>
  isObject(one) &&
  one['mode'] === 'url' &&
  ['message', 'url', 'elicitationId'].every((k) => typeof one[k] === 'string');
