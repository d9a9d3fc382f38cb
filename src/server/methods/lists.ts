/** The four list methods: pages of the catalogue, with cache hints. */
import type { JsonObject } from '../../jsonrpc/message.ts';
import { missingScopes } from '../../model/auth.ts';
import type { CacheHints } from '../../model/parts.ts';
import { pickKnown } from '../../revisions/encode.ts';
import type { MethodHandler } from '../call.ts';
import type { ListEntry, PartKindName } from '../catalogue.ts';
import { iconFault, strayFault } from '../definition.ts';
import { pageOf, readCursor, writeCursor } from './cursor-page.ts';
import { runHandler } from './run-handler.ts';

export const listParts =
  (kind: PartKindName): MethodHandler =>
  (params, details, call) => {
    const { catalogue, revision, settings } = details;
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
    const differs = hides || (catalogue.hasAudiences && all.some(({ part }) => part.isListedFor !== undefined));
    const list = differs
      ? all.filter(
          ({ part }) =>
            (!hides || missingScopes(part.scopes, auth.scopes).length === 0) &&
            part.isListedFor?.(call.caller) !== false,
        )
      : all;
    if (kind === 'resources' && catalogue.hasTemplateLists) {
      // Loaded lazily: the templates of most servers have no `list`.
      return runHandler(details, call, async () => {
        const { listResources } = await import('./listed-resources.ts');
        const functions = { iconFault, readCursor, strayFault, writeCursor };
        return listResources(list, cursor, { ...details, call, functions });
      });
    }
    // A list for one caller must not be cached for others.
    if (differs) return page(list, { ...hints, cacheScope: 'private' });
    // Only the first page is cached, which is the same for every caller: cursors can have any value.
    if (cursor !== undefined) return page(all, hints);
    return catalogue.firstPage(kind, revision, () => revision.lifecycle.stamp(page(all, hints), info));
  };
