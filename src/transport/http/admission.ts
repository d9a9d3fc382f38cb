/** Who is let in: credentials, the scopes of what is asked for, and the documents that say where to get them. */
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

  /** Answers for a document that anybody may read, whoever they are; false when there is none at this path. */
  sendDocument(view: HttpView, reply: HttpReply): boolean {
    const document = this.#authenticate?.documents?.get(view.path);
    if (document !== undefined) sendPublicDocument(document, view, reply);
    return document !== undefined;
  }

  /** Who is calling; undefined where nobody is verified. Throws when they are not let in. */
  authenticate(view: HttpView): AuthInfo | undefined | Promise<AuthInfo> {
    return this.#authenticate === undefined ? undefined : runAuthenticator(this.#authenticate, view);
  }

  /** Throws when what was sent needs more than the caller is allowed to, before anything runs. */
  checkScopes(sent: unknown, auth: AuthInfo | undefined): void {
    // What is no request will be told so; until then it is one that names nothing.
    const needed = isObject(sent) ? this.#server.scopes?.(sent as unknown as RpcRequest) : this.#neededByAll(sent);
    if (
      needed === undefined ||
      needed.length === 0 ||
      (auth !== undefined && missingScopes(needed, auth.scopes).length === 0)
    )
      return;
    const id = readableId(sent);
    if (auth === undefined) throw new HttpRejection('nobodyVerified', { scopes: needed.join(' ') }, { id });
    const refusal = this.#authenticate?.insufficient?.(needed, auth) ?? insufficientScope(needed);
    throw new HttpRejection('scopes', {}, { ...toOverrides(refusal), id });
  }

  #neededByAll(sent: unknown): readonly string[] {
    if (!Array.isArray(sent)) return NONE;
    return mergeScopes(
      sent.flatMap((one) => (isObject(one) ? (this.#server.scopes?.(one as unknown as RpcRequest) ?? NONE) : NONE)),
    );
  }
}

async function runAuthenticator(authenticate: Authenticator, view: HttpView): Promise<AuthInfo> {
  const { method, path, query } = view;
  const auth = await authenticate({ method, path, query, header: (name) => view.header(name.toLowerCase()) });
  if (!('wwwAuthenticate' in auth)) return auth;
  throw new HttpRejection('credentials', {}, toOverrides(auth));
}

const toOverrides = ({ status, headers, wwwAuthenticate }: AuthRejection): { status: number; headers: HeaderList } => ({
  status,
  headers: { ...headers, 'WWW-Authenticate': wwwAuthenticate },
});

/** For authenticators that have no challenge of their own. A scope is never more than its characters: parts are checked. */
const insufficientScope = (needed: readonly string[]): AuthRejection => ({
  status: 403,
  wwwAuthenticate: `Bearer error="insufficient_scope", scope="${needed.join(' ')}"`,
});

/** Pages of any origin may read it: it says nothing about anybody, and how to get in. */
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
