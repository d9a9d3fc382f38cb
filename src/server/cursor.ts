/** Cursors: behind which place a page ended. They stay good while the list changes, and in every process with the same parts. */
import { RpcError } from '../errors.ts';
import { INVALID_PARAMS } from '../jsonrpc/message.ts';
import { fromBase64Url, toBase64Url } from '../model/base64.ts';
import type { ListEntry, PartKindName } from './catalogue.ts';

export interface CursorPage {
  readonly items: readonly ListEntry[];
  readonly nextCursor?: string;
}

/** The page that begins where the cursor says. */
export function pageOf(kind: PartKindName, list: readonly ListEntry[], cursor: unknown, size: number): CursorPage {
  const place = cursor === undefined ? 0 : read(kind, cursor);
  const found = list.findIndex((listed) => listed.place > place);
  const start = found === -1 ? list.length : found;
  const end = start + size;
  const last = list[end - 1];
  const items = start === 0 && end >= list.length ? list : list.slice(start, end);
  return last === undefined || end >= list.length ? { items } : { items, nextCursor: write(kind, last.place) };
}

const write = (kind: PartKindName, place: number): string => toBase64Url(new TextEncoder().encode(`${kind} ${place}`));

function read(kind: PartKindName, cursor: unknown): number {
  const bytes = typeof cursor === 'string' ? fromBase64Url(cursor) : undefined;
  const [, of, place] = /^(\w+) ([1-9]\d{0,14})$/.exec(new TextDecoder().decode(bytes)) ?? [];
  if (of === kind) return Number(place);
  throw new RpcError(INVALID_PARAMS, 'Invalid cursor: use the nextCursor of an earlier page');
}
