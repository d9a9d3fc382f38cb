/** Which capability a question needs, and whether the caller declared it. */
import type { JsonObject } from '../../jsonrpc/message.ts';
import type { ClientCapabilities } from '../../model/caller.ts';
import type { Question } from '../contract.ts';
import type { Words } from '../words.ts';

/** What the client would have to declare for this question; undefined when it has. */
export function missingFor(question: Question, has: ClientCapabilities, words: Words): JsonObject | undefined {
  const { method, params } = question;
  if (method === 'roots/list') return has.roots === undefined ? { roots: {} } : undefined;
  if (method === 'sampling/createMessage') {
    const tools = params['tools'] !== undefined || params['toolChoice'] !== undefined;
    if (has.sampling === undefined) return { sampling: tools ? { tools: {} } : {} };
    return tools && (has.sampling.tools === undefined || !words.samplingLists)
      ? { sampling: { tools: {} } }
      : undefined;
  }
  const asked = has.elicitation;
  if (params['mode'] === 'url') {
    return asked?.url === undefined || words.visits === 'nothing' ? { elicitation: { url: {} } } : undefined;
  }
  // An empty object means forms: it is how the capability began.
  const forms =
    asked !== undefined && words.forms !== 'nothing' && (asked.form !== undefined || asked.url === undefined);
  return forms ? undefined : { elicitation: { form: {} } };
}

/** `{ sampling: { tools: {} } }` as `sampling.tools`, for a person. */
export function nameOf(capabilities: JsonObject): string {
  const [name, inner] = Object.entries(capabilities)[0] ?? ['', {}];
  const [more] = Object.keys((inner ?? {}) as JsonObject); // a capability is an object
  return more === undefined ? name : `${name}.${more}`;
}
