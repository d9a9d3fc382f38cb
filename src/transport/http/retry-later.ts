/** Errors that say when the same request can succeed: a client that knows HTTP sends it again by itself. */
import { type ErrorBody, INTERNAL_ERROR, isFailure, isObject, type RpcResponse } from '../../jsonrpc/message.ts';
import type { HeaderList } from './view.ts';

/** 429 where the caller sent too many, 503 where the server cannot answer now; undefined for all other errors. */
export function laterStatus({ code, data }: ErrorBody): 429 | 503 | undefined {
  if (code !== INTERNAL_ERROR || !isObject(data) || typeof data['retryAfterMs'] !== 'number') return undefined;
  return data['limited'] === true ? 429 : 503;
}

/** `Retry-After` in whole seconds. */
export function laterHeaders(response: RpcResponse): HeaderList {
  if (!isFailure(response) || laterStatus(response.error) === undefined) return {};
  const { retryAfterMs } = response.error.data as { readonly retryAfterMs: number }; // as just seen
  return { 'Retry-After': String(Math.max(1, Math.ceil(retryAfterMs / 1_000))) };
}
