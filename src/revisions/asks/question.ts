/** Shared by both ways of asking: checks capabilities and answers, and runs the steps of `ctx.once`. */
import { McpError } from '../../errors.ts';
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import type { ClientCapabilities } from '../../model/caller.ts';
import type { OnceStep, Question, StepInfo } from '../contract.ts';
import type { Vocabulary } from '../vocabulary.ts';

const actions: readonly unknown[] = ['accept', 'decline', 'cancel'];

/** Describes why an answer of the client is invalid; undefined if it is valid. */
export function answerFault(method: Question['method'], answer: unknown): string | undefined {
  if (!isObject(answer)) return 'must be an object';
  if (method === 'roots/list') return Array.isArray(answer['roots']) ? undefined : 'must have a list of "roots"';
  if (method === 'sampling/createMessage') {
    const { role, content, model } = answer;
    const hasRole = role === 'user' || role === 'assistant';
    const hasBlocks = (Array.isArray(content) ? content : [content]).every(isBlock);
    return hasRole && hasBlocks && typeof model === 'string' ? undefined : 'must have "role", "content" and "model"';
  }
  if (!actions.includes(answer['action'])) return 'must have an "action": accept, decline or cancel';
  const content = answer['content'];
  return content === undefined || isObject(content) ? undefined : 'has a "content" that is not an object';
}

const isBlock = (block: unknown): boolean => isObject(block) && typeof block['type'] === 'string';

/** Runs a step, and returns its result after a JSON round trip: the same value that replayed runs get. */
export async function runStep<T>(step: OnceStep<T>, info: StepInfo): Promise<T> {
  const text = JSON.stringify(await step(info)) as string | undefined; // undefined for undefined
  return (text === undefined ? undefined : JSON.parse(text)) as T; // `once` requires JSON results
}

/** Returns the capability that the client would have to declare for the question; undefined if it did. */
export function missingCapability(
  question: Question,
  has: ClientCapabilities,
  vocabulary: Vocabulary,
): JsonObject | undefined {
  const { method, params } = question;
  if (method === 'roots/list') return isObject(has.roots) ? undefined : { roots: {} };
  if (method === 'sampling/createMessage') {
    const tools = params['tools'] !== undefined || params['toolChoice'] !== undefined;
    const isDeclared =
      isObject(has.sampling) && (!tools || (isObject(has.sampling['tools']) && vocabulary.samplingLists));
    return isDeclared ? undefined : { sampling: tools ? { tools: {} } : {} };
  }
  const { form, url } = isObject(has.elicitation) ? has.elicitation : {};
  if (params['mode'] === 'url') {
    return isObject(url) && vocabulary.visits !== 'nothing' ? undefined : { elicitation: { url: {} } };
  }
  // An empty object declares forms: the first version of the capability had no modes.
  const forms = isObject(has.elicitation) && vocabulary.forms !== 'nothing' && (isObject(form) || url === undefined);
  return forms ? undefined : { elicitation: { form: {} } };
}

/** What to pass for each capability. A server cannot see whether its client is a host. */
const fixes: Readonly<Record<string, string>> = {
  elicitation: '"elicit" to connect(), or "questions" to createHost()',
  sampling: '"sample" to connect(), or "model" to createHost()',
  roots: '"roots" to connect() or createHost()',
};

/** The error for a capability that the client did not declare; `{ sampling: { tools: {} } }` is shown as `sampling.tools`. */
export function cannotAskError(
  { method: what }: { readonly method: string },
  missing: JsonObject,
  options?: ErrorOptions,
): McpError {
  const [[name, inner] = ['', {}]] = Object.entries(missing);
  const capability = [name, ...Object.keys(inner as JsonObject)].join('.'); // the values of missingCapability are objects
  const option = fixes[name];
  const fix = option === undefined ? '' : `. In Mooring, pass ${option}`;
  return new McpError('MCP_CANNOT_ASK', { what, capability, fix }, options);
}
