/** The four lists: pages of what the catalogue holds, with hints on how long they may be kept. */
import type { JsonObject } from '../../jsonrpc/message.ts';
import { pick } from '../../revisions/encode.ts';
import type { Kind } from '../catalogue.ts';
import { pageOf } from '../cursor.ts';
import type { Serving } from './serving.ts';

export const listing =
  (kind: Kind) =>
  (params: JsonObject, { catalogue, revision, settings }: Serving): JsonObject => {
    const page = pageOf(kind, catalogue.list(kind, revision.words), params['cursor'], settings.pageSize);
    const { nextCursor } = page;
    const items = page.items.map((listed) => listed.item);
    return pick(revision.words, 'ListResult', { [kind]: items, nextCursor, ...settings.hints });
  };
