/** Names the kind of a value, for error texts. */
import { isPromise } from '../jsonrpc/message.ts';

/** Does not quote text, which can be a misplaced secret. */
export function valueKind(value: unknown): string {
  if (typeof value === 'string') return 'text';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'function') return 'a function';
  if (typeof value !== 'object' || value === null) return String(value);
  if (isPromise<unknown>(value)) return 'a promise; await it first';
  if ('open' in value) return 'a server';
  return 'kind' in value && typeof value.kind === 'string' ? `a ${value.kind}` : 'an object';
}
