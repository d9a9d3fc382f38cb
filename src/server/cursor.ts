/** Cursors: where a page ended, by name and position, so that they stay good in any process and while the list changes. */
import { RpcError } from '../errors.ts';
import { INVALID_PARAMS } from '../jsonrpc/message.ts';
import { fromBase64Url, toBase64Url } from '../model/base64.ts';
import type { Kind, Listed } from './catalogue.ts';

export interface Page {
  readonly items: readonly Listed[];
  readonly nextCursor?: string;
}

/** The page that begins where the cursor says. */
export function pageOf(kind: Kind, list: readonly Listed[], cursor: unknown, size: number): Page {
  const start = cursor === undefined ? 0 : after(kind, list, cursor);
  const end = start + size;
  const last = list[end - 1];
  const items = start === 0 && end >= list.length ? list : list.slice(start, end);
  return last === undefined || end >= list.length ? { items } : { items, nextCursor: write(kind, last.name, end) };
}

const write = (kind: Kind, name: string, index: number): string =>
  toBase64Url(new TextEncoder().encode(JSON.stringify([kind, name, index])));

/** Behind the item that the cursor names; where that is gone, at the position it had. */
function after(kind: Kind, list: readonly Listed[], cursor: unknown): number {
  const [of, name, index] = read(cursor);
  if (of !== kind || typeof name !== 'string' || !Number.isSafeInteger(index) || Number(index) < 1) throw invalid();
  const found = list.findIndex((listed) => listed.name === name);
  return found === -1 ? Math.min(Number(index) - 1, list.length) : found + 1;
}

function read(cursor: unknown): readonly unknown[] {
  const bytes = typeof cursor === 'string' ? fromBase64Url(cursor) : undefined;
  if (bytes === undefined) throw invalid();
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    if (Array.isArray(value) && value.length === 3) return value;
  } catch {
    // Not written by us; the same answer as for any other cursor we do not know.
  }
  throw invalid();
}

const invalid = (): RpcError => new RpcError(INVALID_PARAMS, 'Invalid cursor: use the nextCursor of an earlier page');
