/** A request may fail because the user must visit a page first. One revision has a number for that, good for it and for nothing else. */
import { isObject, type JsonObject } from '../jsonrpc/message.ts';

export const VISIT_FIRST = -32042;

/** The pages that such an error names; none, where one of them is not as it must be. */
export function visitsIn(data: unknown): readonly JsonObject[] {
  const visits = isObject(data) ? data['elicitations'] : undefined;
  return Array.isArray(visits) && visits.every(isVisit) ? visits : [];
}

const isVisit = (one: unknown): one is JsonObject =>
  isObject(one) &&
  one['mode'] === 'url' &&
  ['message', 'url', 'elicitationId'].every((k) => typeof one[k] === 'string');
