/** Who is let in: credentials, the scopes of what is asked for, and the documents that say where to get them. */
import { INVALID_REQUEST, isObject, type JsonObject, type Request } from '../../jsonrpc/message.ts';
import { readableId } from '../../jsonrpc/read.ts';
import type { Authenticator, AuthRefusal } from '../../model/auth.ts';
import type { AuthInfo } from '../../model/caller.ts';
import { lacking, together } from '../../model/scopes.ts';
import type { Servable } from '../../peer/exchange.ts';
import { type HeaderList, type HttpView, JSON_TYPE, type Reply, refuse } from './view.ts';

export interface Admitted {
  readonly auth: AuthInfo | undefined;
  readonly headers: HeaderList | undefined;
}

interface Knock {
  readonly view: HttpView;
  readonly reply: Reply;
  readonly headers: HeaderList | undefined;
}

const NONE: readonly string[] = [];

export class Admission {
  readonly #server: Servable;
  readonly #authenticate: Authenticator | undefined;
  /** Whether anybody is asked who they are. */
  readonly verifies: boolean;

  constructor(server: Servable, authenticate: Authenticator | undefined) {
    this.#server = server;
    this.#authenticate = authenticate;
    this.verifies = authenticate !== undefined;
  }

  /** Answers for a document that anybody may read, whoever they are; false when there is none at this path. */
  document(view: HttpView, reply: Reply): boolean {
    const document = this.#authenticate?.documents?.get(view.path);
    if (document !== undefined) publish(document, view, reply);
    return document !== undefined;
  }

  /** Undefined when somebody is not let in, and has been told so. */
  recognise({ view, reply, headers }: Knock): Admitted | Promise<Admitted | undefined> {
    const authenticate = this.#authenticate;
    return authenticate === undefined
      ? { headers, auth: undefined }
      : recognised(authenticate, { view, reply, headers });
  }

  /** Whether what was sent needs more than the caller is allowed to; then that is the answer, before anything runs. */
  forbids(sent: unknown, { reply, headers, auth }: Pick<Knock, 'reply' | 'headers'> & Admitted): boolean {
    // What is no request will be told so; until then it is one that names nothing.
    const needed = isObject(sent) ? this.#server.scopes?.(sent as unknown as Request) : this.#neededByAll(sent);
    if (
      needed === undefined ||
      needed.length === 0 ||
      (auth !== undefined && lacking(needed, auth.scopes).length === 0)
    )
      return false;
    const id = readableId(sent);
    if (auth === undefined) {
      const message = `Forbidden: this needs the scopes ${needed.join(' ')}, and nobody is verified here (auth)`;
      refuse(reply, { status: 403, code: INVALID_REQUEST, message, id, ...(headers && { headers }) });
      return true;
    }
    const refusal = this.#authenticate?.insufficient?.(needed, auth) ?? insufficient(needed);
    const { status } = refusal;
    refuse(reply, { status, code: INVALID_REQUEST, message: 'Not authorized', id, headers: told(refusal, headers) });
    return true;
  }

  #neededByAll(sent: unknown): readonly string[] {
    if (!Array.isArray(sent)) return NONE;
    return together(
      sent.flatMap((one) => (isObject(one) ? (this.#server.scopes?.(one as unknown as Request) ?? NONE) : NONE)),
    );
  }
}

async function recognised(authenticate: Authenticator, { view, reply, headers }: Knock): Promise<Admitted | undefined> {
  const { method, path, query } = view;
  const auth = await authenticate({ method, path, query, header: (name) => view.header(name.toLowerCase()) });
  if (!('wwwAuthenticate' in auth)) return { headers, auth };
  const { status } = auth;
  refuse(reply, { status, code: INVALID_REQUEST, message: 'Not authorized', headers: told(auth, headers) });
  return undefined;
}

const told = (refusal: AuthRefusal, headers: HeaderList | undefined): HeaderList => ({
  ...headers,
  ...refusal.headers,
  'WWW-Authenticate': refusal.wwwAuthenticate,
});

/** For authenticators that have no challenge of their own. A scope is never more than its characters: parts are checked. */
const insufficient = (needed: readonly string[]): AuthRefusal => ({
  status: 403,
  wwwAuthenticate: `Bearer error="insufficient_scope", scope="${needed.join(' ')}"`,
});

/** Pages of any origin may read it: it says nothing about anybody, and how to get in. */
const shared: HeaderList = { 'Access-Control-Allow-Origin': '*' };

function publish(document: JsonObject, { method }: HttpView, reply: Reply): void {
  if (method === 'OPTIONS') {
    const preflight = { 'Access-Control-Allow-Methods': 'GET, HEAD', 'Access-Control-Allow-Headers': '*' };
    reply.send(204, { ...shared, ...preflight });
  } else if (method === 'GET' || method === 'HEAD') {
    const headers = { ...shared, 'Cache-Control': 'public, max-age=3600' };
    if (method === 'GET') reply.sendJson(200, JSON.stringify(document), headers);
    else reply.send(200, { ...headers, 'Content-Type': JSON_TYPE });
  } else {
    const message = 'Method not allowed: this document is read by GET';
    refuse(reply, { status: 405, code: INVALID_REQUEST, message, headers: { ...shared, Allow: 'GET, HEAD' } });
  }
}
