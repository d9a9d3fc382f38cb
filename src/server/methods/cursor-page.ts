/** Pages of a list. A cursor names the place after which a page ended, so it stays valid while the list changes, and in every process. */
import { RpcError } from '../../errors.ts';
import { INVALID_PARAMS } from '../../jsonrpc/message.ts';
import { fromBase64Url, toBase64Url } from '../../model/base64.ts';

interface CursorPage<T> {
  readonly items: readonly T[];
  readonly nextCursor?: string;
}

/** The page that begins where the cursor says. */
export function pageOf<T extends { readonly place: number }>(
  kind: string,
  list: readonly T[],
  cursor: unknown,
  size: number,
): CursorPage<T> {
  const place = cursor === undefined ? 0 : Number(readCursor(kind, cursor, PLACE)[0]);
  const found = list.findIndex((listed) => listed.place > place);
  const start = found === -1 ? list.length : found;
  const end = start + size;
  const last = list[end - 1];
  const items = start === 0 && end >= list.length ? list : list.slice(start, end);
  return last === undefined || end >= list.length ? { items } : { items, nextCursor: writeCursor(kind, last.place) };
}

const PLACE = /^(\w+) ([1-9]\d{0,14})$/;

export const writeCursor = (kind: string, position: number | string): string =>
  toBase64Url(new TextEncoder().encode(`${kind} ${position}`));

/** What a client takes. Decoding one of 4 MiB would take a second or two, in which no other caller is served. */
const MAX_CURSOR_LENGTH = 65_536;

/** What a cursor of this list says of a position, in the groups of the pattern after the first. */
export function readCursor(kind: string, cursor: unknown, pattern: RegExp): readonly (string | undefined)[] {
  const isShort = typeof cursor === 'string' && cursor.length <= MAX_CURSOR_LENGTH;
  const bytes = isShort ? fromBase64Url(cursor) : undefined;
  const [, of, ...position] = pattern.exec(new TextDecoder().decode(bytes)) ?? [];
  if (of === kind) return position;
  throw new RpcError(INVALID_PARAMS, 'Invalid cursor: use the nextCursor of an earlier page');
}
