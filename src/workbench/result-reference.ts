/** What stands for a result that is too long for a response, or takes too long. It runs in the page and in the process. */
import { isObject } from '../jsonrpc/message.ts';

/** What stands for a result over 1 MiB. */
export interface BlobReference {
  readonly blob: string;
  readonly bytes: number;
}
export const isBlob = (value: unknown): value is BlobReference =>
  isObject(value) && typeof value['blob'] === 'string' && typeof value['bytes'] === 'number';

/** What stands for a result that takes longer. */
export interface PendingReference {
  readonly pending: string;
}
export const isPending = (value: unknown): value is PendingReference =>
  isObject(value) && typeof value['pending'] === 'string';
