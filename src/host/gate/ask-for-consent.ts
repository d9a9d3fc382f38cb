/** Asking somebody, and what an answer must be to count as a yes. */
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import { deepFreeze } from '../../model/canonical.ts';
import type { Consent, ConsentAnswer, ConsentFunction, ConsentQuestion } from '../consent/consent.ts';

/** What came of asking. Only `agreed` lets anything happen. */
export type ConsentOutcome =
  | { readonly outcome: 'agreed'; readonly answer: ConsentAnswer; readonly edited: JsonObject | undefined }
  | { readonly outcome: 'refused'; readonly why: string; readonly reason?: string | undefined }
  | { readonly outcome: 'called off' };

export const asConsent = (consent: Consent | ConsentFunction): Consent =>
  typeof consent === 'function' ? { ask: async (question, signal) => consent(question, signal) } : consent;

/** Never rejects. An answer that comes after the signal has aborted is no answer. */
export function askForConsent(
  consent: Consent,
  question: ConsentQuestion,
  signal: AbortSignal,
): Promise<ConsentOutcome> {
  return new Promise((resolve) => {
    const callOff = (): void => resolve({ outcome: 'called off' });
    if (signal.aborted) {
      callOff();
      return;
    }
    signal.addEventListener('abort', callOff, { once: true });
    answerOf(consent, question, signal)
      .then((answer) => resolve(judged(question, answer)))
      // An answer whose members throw when they are looked at is none.
      .catch(() => resolve({ outcome: 'refused', why: 'nobody could be asked' }))
      .finally(() => signal.removeEventListener('abort', callOff));
  });
}

/** Who is asked may throw instead of rejecting; that is the same. */
const answerOf = async (consent: Consent, question: ConsentQuestion, signal: AbortSignal): Promise<unknown> =>
  consent.ask(question, signal);

function judged(question: ConsentQuestion, answer: unknown): ConsentOutcome {
  if (!isObject(answer)) return { outcome: 'refused', why: 'the answer is none' };
  const given = answer as unknown as ConsentAnswer; // each member is looked at before it is believed
  const reason = typeof given.reason === 'string' ? given.reason : undefined;
  if (given.allow !== true) return { outcome: 'refused', why: 'who was asked did not agree', reason };
  const fault = faultOf(question, given);
  if (fault !== undefined) return { outcome: 'refused', why: fault };
  const edited = given.arguments === undefined ? undefined : jsonCopy(given.arguments);
  if (given.arguments !== undefined && !isObject(edited))
    return { outcome: 'refused', why: 'the changed arguments are not JSON' };
  return { outcome: 'agreed', answer: given, edited: edited as JsonObject | undefined }; // looked at above
}

/** As it would be sent; undefined for what cannot be: a number without end, an object within itself. */
function jsonCopy(value: unknown): unknown {
  try {
    return deepFreeze(JSON.parse(JSON.stringify(value)));
  } catch {
    return undefined;
  }
}

function faultOf({ binding, editable }: ConsentQuestion, answer: ConsentAnswer): string | undefined {
  if (answer.binding !== undefined && answer.binding !== binding) return 'the answer is to another question';
  if (answer.arguments !== undefined && !editable) return 'the answer changes what may not be changed';
  if (answer.arguments !== undefined && !isObject(answer.arguments)) return 'the changed arguments are no object';
  if (answer.remember !== undefined && !isMemory(answer.remember))
    return 'the answer is to be remembered in no known way';
  return undefined;
}

const isMemory = (remember: unknown): boolean =>
  isObject(remember) &&
  ['these arguments', 'any arguments'].includes(String(remember['for'])) &&
  (remember['until'] === 'session' || Number.isFinite(remember['until']));
