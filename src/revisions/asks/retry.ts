/**
 * Asking the client by answering early. The handler's first unanswered question unwinds it into an interim result; the
 * client repeats the request with the answers, and the handler runs again from the top. What it learnt and did so far
 * travels in a sealed state, bound to the request and the caller.
 */
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import type { Asks, InputRequests, Question } from '../contract.ts';

export const retry: Asks = {
  // Loaded with the first question: many servers never ask one.
  begin: async (context) => (await import('./replayed.ts')).replayQuestions(context),
  resumes: ({ params }) => params?.['requestState'] !== undefined || params?.['inputResponses'] !== undefined,
  wanted,
};

function wanted(result: JsonObject): InputRequests | undefined {
  if (result['resultType'] !== 'input_required') return undefined;
  const asked = isObject(result['inputRequests']) ? result['inputRequests'] : {};
  const requests = new Map<string, Question>();
  for (const [key, one] of Object.entries(asked)) {
    if (!isObject(one) || typeof one['method'] !== 'string') continue;
    const method = one['method'] as Question['method']; // the client's handlers refuse what they do not know
    requests.set(key, { method, params: isObject(one['params']) ? one['params'] : {} });
  }
  const state = result['requestState'];
  return typeof state === 'string' ? { requests, state } : { requests };
}
