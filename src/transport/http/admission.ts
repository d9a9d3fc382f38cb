/** Authorization: credentials, the scopes that requests need, and the documents that say where to get them. */
import { isObject, type JsonObject, type RpcRequest } from '../../jsonrpc/message.ts';
import { readableId } from '../../jsonrpc/read.ts';
import { type Authenticator, type AuthRejection, mergeScopes, missingScopes } from '../../model/auth.ts';
import type { AuthInfo } from '../../model/caller.ts';
import type { Servable } from '../../peer/exchange.ts';
import { HttpRejection, sendRejection } from './rejections.ts';
import { type HeaderList, type HttpReply, type HttpView, JSON_TYPE } from './view.ts';

const NONE: readonly string[] = [];

export class Admission {
  readonly #server: Servable;
  readonly #authenticate: Authenticator | undefined;

  constructor(server: Servable, authenticate: Authenticator | undefined) {
    this.#server = server;
    this.#authenticate = authenticate;
  }

  /** Sends the public document at this path; false when there is none. */
  sendDocument(view: HttpView, reply: HttpReply): boolean {
    const document = this.#authenticate?.documents?.get(view.path);
    if (document !== undefined) sendPublicDocument(document, view, reply);
    return document !== undefined;
  }

  /** The verified caller; undefined where callers are not verified. Throws when the credentials are rejected. */
  authenticate(view: HttpView): AuthInfo | undefined | Promise<AuthInfo> {
    return this.#authenticate === undefined ? undefined : runAuthenticator(this.#authenticate, view);
  }

  /** Throws when a message needs scopes that the caller lacks, before anything runs. */
  checkScopes(sent: unknown, auth: AuthInfo | undefined): void {
    // What is no request is rejected later; here it needs nothing.
    const needed = isObject(sent) ? this.#server.scopes?.(sent as unknown as RpcRequest) : this.#neededByAll(sent);
    if (
      needed === undefined ||
      needed.length === 0 ||
      (auth !== undefined && missingScopes(needed, auth.scopes).length === 0)
    )
      return;
    const id = readableId(sent);
    if (auth === undefined) throw new HttpRejection('unverified', { scopes: needed.join(' ') }, { id });
    const rejection = this.#authenticate?.insufficient?.(needed, auth) ?? insufficientScope(needed);
    throw new HttpRejection('scopes', {}, { ...toOverrides(rejection), id });
  }

  #neededByAll(sent: unknown): readonly string[] {
    if (!Array.isArray(sent)) return NONE;
    return mergeScopes(
      sent.flatMap((one) => (isObject(one) ? (this.#server.scopes?.(one as unknown as RpcRequest) ?? NONE) : NONE)),
    );
  }
}

/** At once where the authenticator knows the caller: the body is then read as it comes, and need not be held up. */
function runAuthenticator(authenticate: Authenticator, view: HttpView): AuthInfo | Promise<AuthInfo> {
  const { method, path, query } = view;
  const auth = authenticate({ method, path, query, header: (name) => view.header(name.toLowerCase()) });
  return 'then' in auth ? Promise.resolve(auth).then(requireAuth) : requireAuth(auth);
}

function requireAuth(auth: AuthInfo | AuthRejection): AuthInfo {
  if (!('wwwAuthenticate' in auth)) return auth;
  throw new HttpRejection('credentials', {}, toOverrides(auth));
}

const toOverrides = ({ status, headers, wwwAuthenticate }: AuthRejection): { status: number; headers: HeaderList } => ({
  status,
  headers: { ...headers, 'WWW-Authenticate': wwwAuthenticate },
});

/** For authenticators that have no challenge of their own. Scopes need no quoting: they are checked where they are defined. */
const insufficientScope = (needed: readonly string[]): AuthRejection => ({
  status: 403,
  wwwAuthenticate: `Bearer error="insufficient_scope", scope="${needed.join(' ')}"`,
});

/** Pages of any origin can read it: it holds nothing about any caller. */
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
