/** What both ways of asking share: the capability a question needs, the check of its answer, and the steps of `ctx.once`. */
import { McpError } from '../../errors.ts';
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import type { ClientCapabilities } from '../../model/caller.ts';
import type { OnceStep, Question, StepInfo } from '../contract.ts';
import type { Vocabulary } from '../vocabulary.ts';

const actions: readonly unknown[] = ['accept', 'decline', 'cancel'];

export function answerFault(method: Question['method'], answer: unknown): string | undefined {
  if (!isObject(answer)) return 'must be an object';
  if (method === 'roots/list') return Array.isArray(answer['roots']) ? undefined : 'must have a list of "roots"';
  if (method === 'sampling/createMessage') {
    const { role, content, model } = answer;
    const spoken = role === 'user' || role === 'assistant';
    const whole = (Array.isArray(content) ? content : [content]).every(isBlock);
    return spoken && whole && typeof model === 'string' ? undefined : 'must have "role", "content" and "model"';
  }
  if (!actions.includes(answer['action'])) return 'must have an "action": accept, decline or cancel';
  const content = answer['content'];
  return content === undefined || isObject(content) ? undefined : 'has a "content" that is no object';
}

const isBlock = (block: unknown): boolean => isObject(block) && typeof block['type'] === 'string';

/** The result as JSON brings it back, so that the run that made it sees what every replayed run sees. */
export async function runStep<T>(step: OnceStep<T>, info: StepInfo): Promise<T> {
  const text = JSON.stringify(await step(info)) as string | undefined; // undefined has no JSON
  return (text === undefined ? undefined : JSON.parse(text)) as T; // `once` asks for results that are JSON
}

/** What the client would have to declare for this question; undefined when it has. Anything but an object declares nothing. */
export function missingCapability(
  question: Question,
  has: ClientCapabilities,
  vocabulary: Vocabulary,
): JsonObject | undefined {
  const { method, params } = question;
  if (method === 'roots/list') return isObject(has.roots) ? undefined : { roots: {} };
  if (method === 'sampling/createMessage') {
    const tools = params['tools'] !== undefined || params['toolChoice'] !== undefined;
    const enough = isObject(has.sampling) && (!tools || (isObject(has.sampling['tools']) && vocabulary.samplingLists));
    return enough ? undefined : { sampling: tools ? { tools: {} } : {} };
  }
  const { form, url } = isObject(has.elicitation) ? has.elicitation : {};
  if (params['mode'] === 'url') {
    return isObject(url) && vocabulary.visits !== 'nothing' ? undefined : { elicitation: { url: {} } };
  }
  // An empty object means forms: it is how the capability began.
  const forms = isObject(has.elicitation) && vocabulary.forms !== 'nothing' && (isObject(form) || url === undefined);
  return forms ? undefined : { elicitation: { form: {} } };
}

/** The client did not declare what the question needs; `{ sampling: { tools: {} } }` reads `sampling.tools`. */
export function cannotAskError({ method: what }: Question, missing: JsonObject): McpError {
  const [capability] = Object.entries(missing).map(([name, inner]) =>
    [name, ...Object.keys(inner as JsonObject)].join('.'),
  ); // capabilities are objects
  return new McpError('MCP_CANNOT_ASK', { what, capability: capability ?? '' });
}
