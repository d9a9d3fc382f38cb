/** The four lists: pages of what the catalogue holds, with hints on how long they may be kept. */
import { RpcError } from '../../errors.ts';
import { INVALID_PARAMS, type JsonObject } from '../../jsonrpc/message.ts';
import { missingScopes } from '../../model/auth.ts';
import { fromBase64Url, toBase64Url } from '../../model/base64.ts';
import type { CacheHints } from '../../model/parts.ts';
import { pickKnown } from '../../revisions/encode.ts';
import type { MethodContext } from '../call.ts';
import type { ListEntry, PartKindName } from '../catalogue.ts';

export const listParts =
  (kind: PartKindName) =>
  (params: JsonObject, { catalogue, revision, settings, call }: MethodContext): JsonObject => {
    const { hints, hideUnauthorized, info, pageSize } = settings;
    const { auth } = call;
    const { cursor } = params;
    const page = (list: readonly ListEntry[], allowed: CacheHints): JsonObject => {
      const { items, nextCursor } = pageOf(kind, list, cursor, pageSize);
      const listed = { [kind]: items.map(({ item }) => item), nextCursor, ...allowed };
      return pickKnown(revision.vocabulary, 'ListResult', listed);
    };
    const all = catalogue.list(kind, revision.vocabulary);
    const hides = hideUnauthorized && auth !== undefined && catalogue.hasScopes;
    if (hides || (catalogue.hasAudiences && all.some(({ part }) => part.isListedFor !== undefined))) {
      const list = all.filter(
        ({ part }) =>
          (!hides || missingScopes(part.scopes, auth.scopes).length === 0) && part.isListedFor?.(call.caller) !== false,
      );
      // A list for one caller must not be cached for others.
      return page(list, { ...hints, cacheScope: 'private' });
    }
    // The first page is the same for every caller, and kept; a cursor may be anything, and its page is not.
    if (cursor !== undefined) return page(all, hints);
    return catalogue.firstPage(kind, revision, () => revision.lifecycle.stamp(page(all, hints), info));
  };

// A cursor names the place after which a page ended, so it stays valid while the list changes, and in every process.

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
  const place = cursor === undefined ? 0 : read(kind, cursor);
  const found = list.findIndex((listed) => listed.place > place);
  const start = found === -1 ? list.length : found;
  const end = start + size;
  const last = list[end - 1];
  const items = start === 0 && end >= list.length ? list : list.slice(start, end);
  return last === undefined || end >= list.length ? { items } : { items, nextCursor: write(kind, last.place) };
}

const write = (kind: string, place: number): string => toBase64Url(new TextEncoder().encode(`${kind} ${place}`));

function read(kind: string, cursor: unknown): number {
  const bytes = typeof cursor === 'string' ? fromBase64Url(cursor) : undefined;
  const [, of, place] = /^(\w+) ([1-9]\d{0,14})$/.exec(new TextDecoder().decode(bytes)) ?? [];
  if (of === kind) return Number(place);
  throw new RpcError(INVALID_PARAMS, 'Invalid cursor: use the nextCursor of an earlier page');
}
