/** Asks the user for consent, and validates the answer. */
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import { deepFreeze } from '../../model/deep-freeze.ts';
import { onAbort } from '../../peer/wait.ts';
import type { Consent, ConsentAnswer, ConsentFunction, ConsentQuestion } from '../consent/consent.ts';

/** Only `agreed` allows the act. */
export type ConsentOutcome =
  | { readonly outcome: 'agreed'; readonly answer: ConsentAnswer; readonly edited: JsonObject | undefined }
  | { readonly outcome: 'declined'; readonly why: string; readonly reason?: string | undefined }
  | { readonly outcome: 'cancelled' };

export const asConsent = (consent: Consent | ConsentFunction): Consent =>
  typeof consent === 'function' ? { ask: async (question, signal) => consent(question, signal) } : consent;

/** Asks the user. Never rejects. Ignores an answer that arrives after the signal aborted. */
export function askForConsent(
  consent: Consent,
  question: ConsentQuestion,
  signal: AbortSignal,
): Promise<ConsentOutcome> {
  return new Promise((resolve) => {
    const stop = onAbort(signal, () => resolve({ outcome: 'cancelled' }));
    if (signal.aborted) return;
    // Inside the promise chain, because the handler may throw synchronously, and getters of the answer may throw too.
    Promise.resolve()
      .then(() => consent.ask(question, signal))
      .then((answer) => resolve(toOutcome(question, answer)))
      .catch(() => resolve({ outcome: 'declined', why: 'the user could not be asked' }))
      .finally(stop);
  });
}

function toOutcome(question: ConsentQuestion, answer: unknown): ConsentOutcome {
  if (!isObject(answer)) return { outcome: 'declined', why: '"consent" must return { allow }' };
  const given = answer as unknown as ConsentAnswer; // each member is checked before it is used
  const reason = typeof given.reason === 'string' ? given.reason : undefined;
  if (given.allow !== true) return { outcome: 'declined', why: 'the user declined', reason };
  const fault = faultOf(question, given);
  if (fault !== undefined) return { outcome: 'declined', why: fault };
  const edited = jsonCopy(given.arguments);
  if (given.arguments !== undefined && !isObject(edited))
    return { outcome: 'declined', why: 'the changed arguments are not a JSON object' };
  return { outcome: 'agreed', answer: given, edited: edited as JsonObject | undefined }; // checked above
}

/** A frozen copy of the value as JSON; undefined if it cannot be serialized, for example a BigInt or a cycle. */
function jsonCopy(value: unknown): unknown {
  try {
    return deepFreeze(JSON.parse(JSON.stringify(value)));
  } catch {
    return undefined;
  }
}

function faultOf({ binding, editable }: ConsentQuestion, answer: ConsentAnswer): string | undefined {
  if (answer.binding !== undefined && answer.binding !== binding) return 'the answer belongs to another question';
  if (answer.arguments !== undefined && !editable) return 'the answer changes arguments that cannot be changed';
  if (answer.remember !== undefined && !isMemory(answer.remember))
    return 'the answer has an unknown way to remember it';
  return undefined;
}

const isMemory = (remember: unknown): boolean =>
  isObject(remember) &&
  (remember['for'] === 'these arguments' || remember['for'] === 'any arguments') &&
  (remember['until'] === 'session' || Number.isFinite(remember['until']));
