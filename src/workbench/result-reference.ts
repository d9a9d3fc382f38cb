/** Placeholders for results that are too large or too slow for a response. Imported by the page and the process. */
import { isObject } from '../jsonrpc/message.ts';

/** Replaces a result over 1 MiB, which is fetched from `/blob/<blob>`. */
export interface BlobReference {
  readonly blob: string;
  readonly bytes: number;
}
export const isBlob = (value: unknown): value is BlobReference =>
  isObject(value) && typeof value['blob'] === 'string' && typeof value['bytes'] === 'number';

/** Replaces a result that takes over a second, which follows as an `answered` event. */
export interface PendingReference {
  readonly pending: string;
}
export const isPending = (value: unknown): value is PendingReference =>
  isObject(value) && typeof value['pending'] === 'string';
