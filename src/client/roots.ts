/** The folders that a client shows to a server. */
import { badDefinition } from '../errors.ts';
import { isObject } from '../jsonrpc/message.ts';
import type { Root } from '../model/sampling.ts';

/** A step up, also when it is spelled with escapes or backslashes. */
const climbs = /(^|[/\\]|%2f|%5c)(\.|%2e){2}([/\\?#]|%2f|%5c|$)/i;

/** The roots, if all of them are `file://` URLs without steps up. */
export function checkedRoots(roots: readonly Root[]): readonly Root[] {
  for (const root of roots) {
    const uri: unknown = isObject(root) ? root.uri : undefined;
    const why =
      typeof uri !== 'string' || !uri.startsWith('file://') || !URL.canParse(uri)
        ? 'it must be a file:// URL'
        : climbs.test(uri)
          ? 'it must not climb with ".."'
          : undefined;
    if (why !== undefined) throw badDefinition(`The root ${JSON.stringify(uri)}`, why);
  }
  return roots;
}
