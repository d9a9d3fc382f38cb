/** A caller's answer in the words of the upstream that asked. */
import { RpcError } from '../../errors.ts';
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import { answerFault } from '../../revisions/asks/question.ts';
import type { Question, Revision } from '../../revisions/contract.ts';
import { decodeAnswer, encodeAnswer } from '../../revisions/encode-questions.ts';
import { foreignChecker } from '../../schema/index.ts';

/** What the examples of the specification answer when the user says no. */
const REJECTED = -1;

/** The revisions that an answer passes between. */
export interface AnswerRoute {
  readonly from: Revision;
  readonly to: Revision;
}

/** Undefined for an answer that has a fault. */
export function carryAnswer(question: Question, answer: unknown, { from, to }: AnswerRoute): JsonObject | undefined {
  const { method } = question;
  if (answerFault(method, answer) !== undefined || !isObject(answer)) return undefined;
  if (method === 'elicitation/create') {
    const { action, content } = decodeAnswer(from.vocabulary, question, answer);
    // A page brings nothing back, and an answer that is not an agreement has no content.
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

/** Whether the form allows an answer. One that cannot be checked is left to the server that sent it. */
export async function fitsForm({ params }: Question, { content = {} }: JsonObject): Promise<boolean> {
  try {
    const checker = foreignChecker(params['requestedSchema'] as JsonObject, 'a form'); // rejected where it is no object
    return (await checker.check(content)).ok;
  } catch {
    return true;
  }
}

/** The action of an answer, for counters and records. Samples and roots have none. */
export const saidIn = (answer: unknown): string => {
  const action = isObject(answer) ? answer['action'] : undefined;
  return typeof action === 'string' ? action : 'answered';
};

/** What an upstream gets in place of an answer: forms and pages are cancelled; for the others there is only an error. */
export function unanswered({ method }: Pick<Question, 'method'>, why: string): JsonObject {
  if (method === 'elicitation/create') return { action: 'cancel' };
  throw new RpcError(REJECTED, why);
}

/** Whether a value is the answer that allows something: nothing but `accept` does. */
export const isAccepted = (answer: unknown): boolean => isObject(answer) && answer['action'] === 'accept';
