/** The two ways to ask a client. Both are loaded lazily with the first question, since many servers never ask. */
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import type { Asks, InputRequests, Question } from '../contract.ts';

/**
 * Responds to the request with the question (`input_required`). A question without an answer suspends the handler; the client repeats
 * the request with the answer, and the handler runs again from the top. Its answers and steps are stored in a sealed state, which is
 * bound to the request and the caller.
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
    const method = one['method'] as Question['method']; // the client's handlers reject unknown methods
    requests.set(key, { method, params: isObject(one['params']) ? one['params'] : {} });
  }
  const state = result['requestState'];
  return typeof state === 'string' ? { requests, state } : { requests };
}

/** Sends the question as a request to the client, while the handler waits. */
export const backChannel: Asks = {
  begin: async (context) => new (await import('./live.ts')).LiveQuestions(context),
  resumes: () => false,
  inputRequests: () => undefined,
};
