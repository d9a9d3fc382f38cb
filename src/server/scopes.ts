/** Determines the scopes that a request needs, from the parts that it names. */
import { RpcError } from '../errors.ts';
import { INVALID_REQUEST, isObject, type JsonObject, type RpcRequest } from '../jsonrpc/message.ts';
import { mergeScopes, missingScopes } from '../model/auth.ts';
import type { AuthInfo } from '../model/caller.ts';
import { MAX_SUBSCRIPTIONS } from '../model/change.ts';
import { LISTEN } from '../model/names.ts';
import type { PartCatalogue } from './catalogue.ts';
import type { DefinedPart } from './part.ts';

type Finder = (params: JsonObject, catalogue: PartCatalogue) => readonly (DefinedPart | undefined)[];

const NONE: readonly string[] = [];

const byUri: Finder = ({ uri }, catalogue) => [typeof uri === 'string' ? catalogue.locate(uri)?.part : undefined];

const finders: ReadonlyMap<string, Finder> = new Map<string, Finder>([
  ['tools/call', ({ name }, { tools }) => [tools.get(name as string)]], // a name of another type is not found
  ['prompts/get', ({ name }, { prompts }) => [prompts.get(name as string)]], // likewise
  ['resources/read', byUri],
  ['resources/subscribe', byUri],
  ['completion/complete', ({ ref }, catalogue) => (isObject(ref) ? partOfReference(ref, catalogue) : [])],
  [LISTEN, ({ notifications }, catalogue) => (isObject(notifications) ? watchedParts(notifications, catalogue) : [])],
]);

function partOfReference(
  { type, name, uri }: JsonObject,
  catalogue: PartCatalogue,
): readonly (DefinedPart | undefined)[] {
  if (type === 'ref/prompt') return [catalogue.prompts.get(name as string)]; // a name of another type is not found
  const template = catalogue.templates.get(uri as string); // likewise
  return template === undefined ? byUri({ uri }, catalogue) : [template];
}

const watchedParts = (
  { resourceSubscriptions: uris }: JsonObject,
  catalogue: PartCatalogue,
): readonly (DefinedPart | undefined)[] =>
  // A request with more subscriptions is rejected later.
  Array.isArray(uris) ? uris.slice(0, MAX_SUBSCRIPTIONS).flatMap((uri: unknown) => byUri({ uri }, catalogue)) : [];

/** Runs before the params are checked: a malformed request needs no scopes, and is rejected later. */
export function scopesFor({ method, params }: RpcRequest, catalogue: PartCatalogue): readonly string[] {
  if (!isObject(params)) return NONE;
  const parts = finders.get(method)?.(params, catalogue) ?? [];
  return mergeScopes(parts.flatMap((part) => part?.scopes ?? NONE));
}

/** Rejects a verified caller who lacks a needed scope. Without authentication, the process belongs to its user. */
export function requireScopes(needed: readonly string[], auth: AuthInfo | undefined): void {
  if (needed.length === 0 || auth === undefined) return;
  const missing = missingScopes(needed, auth.scopes);
  if (missing.length > 0) throw new RpcError(INVALID_REQUEST, `Forbidden: the token lacks ${missing.join(' ')}`);
}
