/** Pagination. A cursor holds the place of the last item of a page, so it stays valid while the list changes, and in every process. */
import { RpcError } from '../../errors.ts';
import { INVALID_PARAMS } from '../../jsonrpc/message.ts';
import { fromBase64Url, toBase64Url } from '../../model/base64.ts';

interface CursorPage<T> {
  readonly items: readonly T[];
  readonly nextCursor?: string;
}

/** The page after the cursor. */
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

/** The limit of our client, too. Decoding a cursor of 4 MiB would block the event loop for a second or two. */
const MAX_CURSOR_LENGTH = 65_536;

/** Decodes the position in a cursor of this list: the groups of the pattern after the first. Throws for any other cursor. */
export function readCursor(kind: string, cursor: unknown, pattern: RegExp): readonly (string | undefined)[] {
  const isShort = typeof cursor === 'string' && cursor.length <= MAX_CURSOR_LENGTH;
  const bytes = isShort ? fromBase64Url(cursor) : undefined;
  const [, of, ...position] = pattern.exec(new TextDecoder().decode(bytes)) ?? [];
  if (of === kind) return position;
  throw new RpcError(INVALID_PARAMS, 'Invalid cursor: use the nextCursor of an earlier page');
}
