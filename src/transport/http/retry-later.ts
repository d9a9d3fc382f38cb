/** Maps errors with `retryAfterMs` to a status and `Retry-After`, so that HTTP clients retry automatically. */
import { type ErrorBody, INTERNAL_ERROR, isFailure, isObject, type RpcResponse } from '../../jsonrpc/message.ts';
import type { HeaderList } from './view.ts';

/** 429 if the caller exceeded a rate limit, 503 if the server is unavailable; undefined for all other errors. */
export function laterStatus({ code, data }: ErrorBody): 429 | 503 | undefined {
  if (code !== INTERNAL_ERROR || !isObject(data) || typeof data['retryAfterMs'] !== 'number') return undefined;
  return data['limited'] === true ? 429 : 503;
}

/** `Retry-After` in whole seconds. */
export function laterHeaders(response: RpcResponse): HeaderList {
  if (!isFailure(response) || laterStatus(response.error) === undefined) return {};
  const { retryAfterMs } = response.error.data as { readonly retryAfterMs: number }; // laterStatus checked it
  return { 'Retry-After': String(Math.max(1, Math.ceil(retryAfterMs / 1_000))) };
}
