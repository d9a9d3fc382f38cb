/** The four lists: pages of what the catalogue holds, with hints on how long they may be kept. */
import type { JsonObject } from '../../jsonrpc/message.ts';
import type { CacheHints } from '../../model/resource.ts';
import { lacking } from '../../model/scopes.ts';
import type { Revision } from '../../revisions/contract.ts';
import { pick } from '../../revisions/encode.ts';
import type { ListEntry, PartKindName } from '../catalogue.ts';
import { pageOf } from '../cursor.ts';
import type { MethodContext } from './serving.ts';

export const listing =
  (kind: PartKindName) =>
  (params: JsonObject, { catalogue, revision, settings, call }: MethodContext): JsonObject => {
    const { hints, hideUnauthorized, info } = settings;
    const { auth } = call;
    const { cursor } = params;
    const all = catalogue.list(kind, revision.words);
    if (hideUnauthorized && auth !== undefined && catalogue.scoped) {
      const list = all.filter(({ scopes }) => lacking(scopes, auth.scopes).length === 0);
      // A list for one caller is for nobody else.
      return page(list, {
        kind,
        revision,
        cursor,
        size: settings.pageSize,
        hints: { ...hints, cacheScope: 'private' },
      });
    }
    const whole = (): JsonObject => page(all, { kind, revision, cursor, size: settings.pageSize, hints });
    // Where a list begins, it begins for all; a cursor may be anything, and is not kept for.
    return cursor === undefined
      ? catalogue.answer(kind, revision, () => revision.lifecycle.stamp(whole(), info))
      : whole();
  };

interface ListRequest {
  readonly kind: PartKindName;
  readonly revision: Revision;
  readonly cursor: unknown;
  readonly size: number;
  readonly hints: CacheHints;
}

function page(list: readonly ListEntry[], { kind, revision, cursor, size, hints }: ListRequest): JsonObject {
  const { items, nextCursor } = pageOf(kind, list, cursor, size);
  const shown = items.map((listed) => listed.item);
  return pick(revision.words, 'ListResult', { [kind]: shown, nextCursor, ...hints });
}
