/** Validates the roots (folders) that a client exposes to a server. */
import { badDefinition } from '../errors.ts';
import { isObject } from '../jsonrpc/message.ts';
import type { Root } from '../model/sampling.ts';
import { valueKind } from '../model/value-kind.ts';

/** A `..` segment, also percent-encoded or between backslashes: path traversal. */
const parentSegment = /([/\\]|%2f|%5c)(\.|%2e){2}([/\\?#]|%2f|%5c|$)/i;

/** Returns the roots. Throws unless all are `file://` URLs without `..` segments. */
export function checkRoots(roots: readonly Root[]): readonly Root[] {
  if (!Array.isArray(roots)) throw badDefinition('The roots', `they must be a list, not ${valueKind(roots)}`);
  for (const root of roots as readonly unknown[]) {
    const uri = isObject(root) ? root['uri'] : undefined;
    const why =
      typeof uri !== 'string' || !uri.startsWith('file://') || !URL.canParse(uri)
        ? 'it must be a file:// URL'
        : parentSegment.test(uri)
          ? 'it must not climb with ".."'
          : undefined;
    if (why !== undefined) throw badDefinition(`The root ${JSON.stringify(uri)}`, why);
  }
  return roots;
}
