/** Which capability a question needs, and whether the caller declared it. */
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import type { ClientCapabilities } from '../../model/caller.ts';
import type { Question } from '../contract.ts';
import type { Vocabulary } from '../words.ts';

/** What the client would have to declare for this question; undefined when it has. Anything but an object declares nothing. */
export function missingFor(question: Question, has: ClientCapabilities, words: Vocabulary): JsonObject | undefined {
  const { method, params } = question;
  if (method === 'roots/list') return isObject(has.roots) ? undefined : { roots: {} };
  if (method === 'sampling/createMessage') {
    const tools = params['tools'] !== undefined || params['toolChoice'] !== undefined;
    const enough = isObject(has.sampling) && (!tools || (isObject(has.sampling['tools']) && words.samplingLists));
    return enough ? undefined : { sampling: tools ? { tools: {} } : {} };
  }
  const { form, url } = isObject(has.elicitation) ? has.elicitation : {};
  if (params['mode'] === 'url') {
    return isObject(url) && words.visits !== 'nothing' ? undefined : { elicitation: { url: {} } };
  }
  // An empty object means forms: it is how the capability began.
  const forms = isObject(has.elicitation) && words.forms !== 'nothing' && (isObject(form) || url === undefined);
  return forms ? undefined : { elicitation: { form: {} } };
}

/** `{ sampling: { tools: {} } }` as `sampling.tools`, for a person. */
export function nameOfCapability(capabilities: JsonObject): string {
  const [name, inner] = Object.entries(capabilities)[0] ?? ['', {}];
  const [more] = Object.keys((inner ?? {}) as JsonObject); // a capability is an object
  return more === undefined ? name : `${name}.${more}`;
}
