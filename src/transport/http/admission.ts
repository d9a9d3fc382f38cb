/** Authorization: verifies credentials, checks scopes, and serves the metadata documents of the authenticator. */
import { badDefinition, McpError } from '../../errors.ts';
import { isObject, isPromise, type JsonObject, type RpcRequest } from '../../jsonrpc/message.ts';
import { type Authenticator, type AuthRejection, mergeScopes, missingScopes } from '../../model/auth.ts';
import type { AuthInfo } from '../../model/caller.ts';
import { isHeaderName, isHeaderValue } from '../../model/header-fields.ts';
import { Masks, maskSecrets } from '../../model/secrets.ts';
import { valueKind } from '../../model/value-kind.ts';
import type { Clock } from '../../peer/clock.ts';
import type { Servable } from '../../peer/exchange.ts';
import { TimeLimit } from '../../peer/time-limit.ts';
import { Warnings } from '../../peer/warnings.ts';
import { HttpRejection, sendRejection } from './rejections.ts';
import { type HeaderList, type HttpReply, type HttpView, JSON_TYPE } from './view.ts';

const NONE: readonly string[] = [];

export class Admission {
  readonly #server: Servable;
  readonly #authenticate: Authenticator | undefined;
  readonly #limit: TimeLimit;
  readonly #warnings: Warnings = new Warnings(undefined);

  constructor(server: Servable, authenticate: Authenticator | undefined, clock: Clock) {
    if (authenticate !== undefined && typeof authenticate !== 'function') {
      const why = `it must be a function, such as bearer({ verify, audience }), not ${valueKind(authenticate)}`;
      throw badDefinition('The option "auth"', why);
    }
    this.#server = server;
    this.#authenticate = authenticate;
    this.#limit = new TimeLimit(clock);
  }

  /** Sends the public document at this path. Returns false if there is none. */
  sendDocument(view: HttpView, reply: HttpReply): boolean {
    const document = this.#authenticate?.documents?.get(view.path);
    if (document !== undefined) sendPublicDocument(document, view, reply);
    return document !== undefined;
  }

  /** Verifies the caller; undefined if no authenticator is configured. Throws or rejects if the credentials are rejected. */
  authenticate(view: HttpView): AuthInfo | undefined | Promise<AuthInfo> {
    if (this.#authenticate === undefined) return undefined;
    const auth = this.#limit.bound(this.#runAuthenticator(this.#authenticate, view), 'The function "auth"');
    // Synchronous if the authenticator is (for example with a cached token), so that the body is read as it arrives.
    if (!isPromise(auth)) return this.#requireAuth(auth, view);
    return auth.then(
      (verified) => this.#requireAuth(verified, view),
      (thrown: unknown) => this.#fail(thrown, view),
    );
  }

  #runAuthenticator(authenticate: Authenticator, view: HttpView): ReturnType<Authenticator> {
    const { method, path, query } = view;
    try {
      return authenticate({ method, path, query, header: (name) => view.header(name.toLowerCase()) });
    } catch (thrown) {
      return this.#fail(thrown, view);
    }
  }

  /** Validates what the authenticator returned: one without types can return anything. */
  #requireAuth(auth: AuthInfo | AuthRejection, view: HttpView): AuthInfo {
    const fault = authFault(auth);
    if (fault !== undefined) return this.#fail(badDefinition('The function "auth"', fault), view);
    if (!('wwwAuthenticate' in auth)) return auth;
    throw new HttpRejection('credentials', {}, toOverrides(auth));
  }

  /** Fails the request with 503 and no details. Warns the operator: once per reason, with credentials masked. */
  #fail(thrown: unknown, view?: HttpView): never {
    const masks = new Masks();
    for (const word of view?.header('authorization')?.split(/[\s,]/) ?? []) masks.add(word);
    // Only the first stack frame: the others differ between requests, and equal warnings are reported once.
    const [frame = ''] = thrown instanceof McpError ? [] : (/\n\s+at .*/.exec(Object(thrown).stack) ?? []);
    this.#warnings.once(`"auth" failed, and callers get 503. ${maskSecrets(masks.mask(String(thrown)))}${frame}`);
    throw thrown;
  }

  /** Throws if a message needs scopes that the caller lacks. Runs before any handler. */
  checkScopes(sent: unknown, auth: AuthInfo | undefined): void {
    // A malformed message needs no scopes; it is rejected later.
    const needed = isObject(sent) ? this.#server.scopes?.(sent as unknown as RpcRequest) : this.#neededByAll(sent);
    if (
      needed === undefined ||
      needed.length === 0 ||
      (auth !== undefined && missingScopes(needed, auth.scopes).length === 0)
    )
      return;
    if (auth === undefined) throw new HttpRejection('unverified', { scopes: needed.join(' ') });
    const rejection = this.#authenticate?.insufficient?.(needed, auth) ?? insufficientScope(needed);
    const fault = rejectionFault(rejection);
    if (fault !== undefined) this.#fail(badDefinition('The function "insufficient" of "auth"', fault));
    throw new HttpRejection('scopes', {}, toOverrides(rejection));
  }

  #neededByAll(sent: unknown): readonly string[] {
    if (!Array.isArray(sent)) return NONE;
    return mergeScopes(
      sent.flatMap((one) => (isObject(one) ? (this.#server.scopes?.(one as unknown as RpcRequest) ?? NONE) : NONE)),
    );
  }
}

/** Why a returned value is neither a caller nor a rejection; undefined if it is one. */
function authFault(auth: AuthInfo | AuthRejection): string | undefined {
  const isObjectLike = typeof auth === 'object' && auth !== null;
  if (isObjectLike && 'wwwAuthenticate' in auth) return rejectionFault(auth);
  // An array, because `includes` on a string would match substrings as scopes.
  if (isObjectLike && Array.isArray(auth.scopes)) return undefined;
  const what = isObjectLike && 'scopes' in auth ? `"scopes" that are ${valueKind(auth.scopes)}` : valueKind(auth);
  return `it returned ${what}; return { subject, scopes: [] } for a caller, or { status: 401, wwwAuthenticate: 'Bearer' }`;
}

/** Why a rejection cannot be sent over HTTP; undefined if it can. */
function rejectionFault({ status, wwwAuthenticate, headers = {} }: AuthRejection): string | undefined {
  if (![400, 401, 403].includes(status))
    return `the status of a rejection is 400, 401 or 403, not ${valueKind(status)}`;
  const isField = ([name, value]: readonly [string, unknown]): boolean =>
    isHeaderName(name) && typeof value === 'string' && isHeaderValue(value);
  const fields = [['WWW-Authenticate', wwwAuthenticate], ...Object.entries(headers)] as const;
  const bad = fields.find((field) => !isField(field));
  return bad && `the header ${JSON.stringify(bad[0])} of a rejection must be text that HTTP can send, in one line`;
}

const toOverrides = ({ status, headers, wwwAuthenticate }: AuthRejection): { status: number; headers: HeaderList } => ({
  status,
  headers: { ...headers, 'WWW-Authenticate': wwwAuthenticate },
});

/** The challenge for authenticators without `insufficient`. Scopes need no escaping: they are validated where they are defined. */
const insufficientScope = (needed: readonly string[]): AuthRejection => ({
  status: 403,
  wwwAuthenticate: `Bearer error="insufficient_scope", scope="${needed.join(' ')}"`,
});

/** Lets pages of any origin read the documents, which contain nothing about a caller. */
const shared: HeaderList = { 'Access-Control-Allow-Origin': '*' };

function sendPublicDocument(document: JsonObject, { method }: HttpView, reply: HttpReply): void {
  if (method === 'OPTIONS') {
    const preflight = { 'Access-Control-Allow-Methods': 'GET, HEAD', 'Access-Control-Allow-Headers': '*' };
    reply.send(204, { ...shared, ...preflight });
  } else if (method === 'GET' || method === 'HEAD') {
    const headers = { ...shared, 'Cache-Control': 'public, max-age=3600' };
    if (method === 'GET') reply.sendJson(200, JSON.stringify(document), headers);
    else reply.send(200, { ...headers, 'Content-Type': JSON_TYPE });
  } else {
    sendRejection(reply, new HttpRejection('documentMethod', {}, { headers: { ...shared, Allow: 'GET, HEAD' } }));
  }
}
