/** The four lists: pages of what the catalogue holds, with hints on how long they may be kept. */
import type { JsonObject } from '../../jsonrpc/message.ts';
import { lacking } from '../../model/scopes.ts';
import { pick } from '../../revisions/encode.ts';
import type { Kind } from '../catalogue.ts';
import { pageOf } from '../cursor.ts';
import type { Serving } from './serving.ts';

export const listing =
  (kind: Kind) =>
  (params: JsonObject, { catalogue, revision, settings, call }: Serving): JsonObject => {
    const { hints, hideUnauthorized, pageSize } = settings;
    const { auth } = call;
    const all = catalogue.list(kind, revision.words);
    const hides = hideUnauthorized && auth !== undefined && catalogue.scoped;
    const list = hides ? all.filter(({ scopes }) => lacking(scopes, auth.scopes).length === 0) : all;
    const page = pageOf(kind, list, params['cursor'], pageSize);
    const items = page.items.map((listed) => listed.item);
    // A list for one caller is for nobody else.
    const kept = hides ? { ...hints, cacheScope: 'private' } : hints;
    return pick(revision.words, 'ListResult', { [kind]: items, nextCursor: page.nextCursor, ...kept });
  };
