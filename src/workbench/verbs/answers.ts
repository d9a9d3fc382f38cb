/** Verbs that answer questions to the user. */
import { isObject } from '../../jsonrpc/message.ts';
import { boolean, object, optional, type Shape, shape, string } from '../../model/shape.ts';
import type { AnswerValue, ConsentValue } from '../protocol-questions.ts';
import { type VerbTable, verb } from '../rpc.ts';
import type { Workbench } from '../workbench.ts';

const actions: ReadonlyMap<unknown, readonly unknown[]> = new Map([
  ['form', ['accept', 'decline', 'cancel']],
  ['visit', ['done', 'again', 'cancel']],
  ['sampling', ['accept', 'decline']],
  ['input', ['accept', 'cancel']],
]);
const answer: Shape<AnswerValue> = (value, at) => {
  const fault = object(value, at);
  if (fault !== undefined) return fault;
  const { kind, action, content, text } = value as Record<string, unknown>; // checked above
  if (actions.get(kind)?.includes(action) !== true) return `"${at}.action" must be an answer to a ${String(kind)}`;
  if (action !== 'accept') return undefined;
  return kind === 'form' ? object(content, `${at}.content`) : string(text, `${at}.text`);
};
const remember: Shape<NonNullable<ConsentValue['remember']>> = (value, at) => {
  const { for: what, until } = isObject(value) ? value : {};
  const isWhole =
    (what === 'these arguments' || what === 'any arguments') && (until === 'session' || typeof until === 'number');
  return isWhole ? undefined : `"${at}" must be { for, until }`;
};
const consent = shape<ConsentValue>({
  allow: boolean,
  remember: optional(remember),
  arguments: optional(object),
  reason: optional(string),
});

export function answerVerbs({ questions }: Workbench): VerbTable {
  return {
    answer: verb({ question: string, value: answer }, ({ question, value }) => ({
      taken: questions.answer(question, value),
    })),
    consent: verb({ question: string, binding: string, answer: consent }, ({ question, binding, answer: given }) => ({
      taken: questions.consent(question, binding, given),
    })),
  };
}
