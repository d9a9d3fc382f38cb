/** What a value is, in the words of an error. */
import { isPromise } from '../jsonrpc/message.ts';

/** Text is not quoted: it can be a secret in the wrong place. */
export function valueKind(value: unknown): string {
  if (typeof value === 'string') return 'text';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'function') return 'a function';
  if (typeof value !== 'object' || value === null) return String(value);
  if (isPromise<unknown>(value)) return 'a promise; await it first';
  if ('open' in value) return 'a server';
  return 'kind' in value && typeof value.kind === 'string' ? `a ${value.kind}` : 'an object';
}
