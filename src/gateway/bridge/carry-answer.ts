/** Translates a caller's answer into the revision of the upstream that asked. */
import { RpcError } from '../../errors.ts';
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import { answerFault } from '../../revisions/asks/question.ts';
import type { Question, Revision } from '../../revisions/contract.ts';
import { decodeAnswer, encodeAnswer } from '../../revisions/encode-questions.ts';
import { foreignChecker } from '../../schema/index.ts';

/** The code that the specification's examples use when the user declines. */
const REJECTED = -1;

/** The revisions that an answer passes between. */
export interface AnswerRoute {
  readonly from: Revision;
  readonly to: Revision;
}

/** Undefined if the answer is malformed. */
export function carryAnswer(question: Question, answer: unknown, { from, to }: AnswerRoute): JsonObject | undefined {
  const { method } = question;
  if (answerFault(method, answer) !== undefined || !isObject(answer)) return undefined;
  if (method === 'elicitation/create') {
    const { action, content } = decodeAnswer(from.vocabulary, question, answer);
    // Only an accepted form has content.
    const isForm = question.params['mode'] !== 'url' && action === 'accept';
    return isForm ? { action, content: content ?? {} } : { action };
  }
  if (method === 'roots/list') {
    const all = answer['roots'] as readonly unknown[]; // answerFault found a list
    const roots = all.filter((root) => isObject(root) && typeof root['uri'] === 'string');
    return encodeAnswer(to.vocabulary, method, { roots });
  }
  return encodeAnswer(to.vocabulary, method, answer);
}

/** Whether an answer matches its form. Accepts it if the schema cannot be compiled, since the upstream validates it anyway. */
export async function fitsForm({ params }: Question, { content = {} }: JsonObject): Promise<boolean> {
  try {
    const checker = foreignChecker(params['requestedSchema'] as JsonObject, 'a form'); // carryQuestion rejects anything but an object
    return (await checker.check(content)).ok;
  } catch {
    return true;
  }
}

/** The action of an answer, for metrics and the audit log. Answers to sampling and roots have none. */
export const actionOf = (answer: unknown): string => {
  const action = isObject(answer) ? answer['action'] : undefined;
  return typeof action === 'string' ? action : 'answered';
};

/** Answers a question without the caller: cancels an elicitation, and throws for sampling and roots, which cannot be cancelled. */
export function answerWithoutCaller({ method }: Pick<Question, 'method'>, why: string): JsonObject {
  if (method === 'elicitation/create') return { action: 'cancel' };
  throw new RpcError(REJECTED, why);
}

export const isAccepted = (answer: unknown): boolean => isObject(answer) && answer['action'] === 'accept';
