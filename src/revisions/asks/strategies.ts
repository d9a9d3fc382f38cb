/** The two ways in which a handler's question reaches the client. Each is loaded with the first question: many servers ask none. */
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import type { Asks, InputRequests, Question } from '../contract.ts';

/**
 * Answers the request with the question. The handler's first unanswered question suspends it; the client repeats the request
 * with the answers, and the handler runs again from the top. What it learnt and did so far travels in a sealed state, bound
 * to the request and the caller.
 */
export const retry: Asks = {
  begin: async (context) => (await import('./replayed.ts')).replayQuestions(context),
  resumes: ({ params }) => params?.['requestState'] !== undefined || params?.['inputResponses'] !== undefined,
  inputRequests: inputRequestsIn,
};

function inputRequestsIn(result: JsonObject): InputRequests | undefined {
  if (result['resultType'] !== 'input_required') return undefined;
  const asked = isObject(result['inputRequests']) ? result['inputRequests'] : {};
  const requests = new Map<string, Question>();
  for (const [key, one] of Object.entries(asked)) {
    if (!isObject(one) || typeof one['method'] !== 'string') continue;
    const method = one['method'] as Question['method']; // the client's handlers reject what they do not know
    requests.set(key, { method, params: isObject(one['params']) ? one['params'] : {} });
  }
  const state = result['requestState'];
  return typeof state === 'string' ? { requests, state } : { requests };
}

/** Sends the question as a request on the same conversation, and waits. */
export const backChannel: Asks = {
  begin: async (context) => new (await import('./live.ts')).LiveQuestions(context),
  resumes: () => false,
  inputRequests: () => undefined,
};
