/**
 * A fake web for OAuth clients: a protected MCP endpoint, authorization servers, and a user who agrees to everything. A `fetch`
 * that sends nothing over the network.
 */

import { AuthContext } from '../../src/auth/client/context/auth-context.ts';
import type { SignIn } from '../../src/auth/client/sign-in/sign-in.ts';
import { guardedWeb } from '../../src/auth/web/guarded-web.ts';
import type { TraceStep } from '../../src/auth/web/trace.ts';
import type { JsonObject } from '../../src/jsonrpc/message.ts';
import type { ChallengedRequest, HeaderFields, HttpAuth, OutgoingRequest } from '../../src/model/auth.ts';
import { systemClock } from '../../src/peer/clock.ts';
import { AuthorizationServer, type AuthorizationServerOptions, answered } from './authorization-server.ts';

export interface WorldOptions {
  /** Default: `https://mcp.example/mcp`. */
  readonly endpoint?: string;
  /** Replaces members of the protected resource metadata; undefined removes one. Null: there is no document. */
  readonly resource?: Readonly<Record<string, unknown>> | null;
  /** The path of the document; by default as in RFC 9728. */
  readonly documentAt?: string;
  /** The authorization servers; by default one at `https://auth.example`. */
  readonly servers?: readonly AuthorizationServerOptions[];
}

export interface Visit {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
}

type Answer = (visit: Visit) => Response | undefined;

export class OAuthWorld {
  readonly endpoint: URL;
  readonly servers: readonly AuthorizationServer[];
  /** All requests, in order. */
  readonly visits: Visit[] = [];
  readonly traced: TraceStep[] = [];
  /** Answers any request, unless it returns undefined. */
  instead: Answer = () => undefined;
  /** Changes the URL with which the browser returns. */
  returning: (returned: URL) => string = (returned) => returned.href;
  /** The redirect URI of the client. */
  redirectUri = 'http://127.0.0.1:4000/callback';
  /** The pages that the user was shown. */
  readonly shown: URL[] = [];
  document: JsonObject | undefined;
  readonly #documentAt: string;

  constructor({ endpoint = 'https://mcp.example/mcp', resource = {}, documentAt, servers = [{}] }: WorldOptions = {}) {
    this.endpoint = new URL(endpoint);
    this.servers = servers.map((options) => new AuthorizationServer(options));
    const { origin, pathname } = this.endpoint;
    const path = pathname === '/' ? '' : pathname;
    this.#documentAt = documentAt ?? `${origin}/.well-known/oauth-protected-resource${path}`;
    const members = {
      resource: endpoint,
      authorization_servers: this.servers.map(({ issuer }) => issuer),
      scopes_supported: ['basic'],
      ...resource,
    };
    const kept = Object.entries(members).filter(([, value]) => value !== undefined);
    this.document = resource === null ? undefined : Object.fromEntries(kept);
  }

  get server(): AuthorizationServer {
    const [first] = this.servers;
    if (first === undefined) throw new Error('there is no authorization server');
    return first;
  }

  readonly fetch = async (input: URL, init: RequestInit): Promise<Response> => {
    const url = new URL(input);
    const visit = { method: init.method ?? 'GET', url: url.origin + url.pathname, headers: new Headers(init.headers) };
    this.visits.push(visit);
    const instead = this.instead(visit);
    if (instead !== undefined) return instead;
    if (visit.url === this.#documentAt && this.document !== undefined) return answered(this.document);
    const server = this.servers.find(({ issuer }) => new URL(issuer).origin === url.origin);
    return server === undefined ? new Response('Not found', { status: 404 }) : server.fetch(url, init);
  };

  /** The user's browser, with consent. */
  readonly signIn: SignIn = {
    begin: async () => ({
      redirectUri: this.redirectUri,
      finish: async (url) => {
        this.shown.push(new URL(url));
        const response = await this.fetch(new URL(url), {});
        return this.returning(new URL(response.headers.get('location') ?? 'about:blank'));
      },
      close: async () => undefined,
    }),
  };

  readonly trace = (step: TraceStep): void => {
    this.traced.push(step);
  };

  /** The requested paths at this origin. */
  pathsAt(origin: string): string[] {
    return this.visits.filter(({ url }) => new URL(url).origin === origin).map(({ url }) => new URL(url).pathname);
  }

  /** The forms sent to the token endpoint. */
  get tokenForms(): URLSearchParams[] {
    return this.servers.flatMap(({ requests }) =>
      requests.filter(({ path }) => path.endsWith('/token')).map(({ params }) => params),
    );
  }

  /** The context for the steps of a flow. */
  get context(): AuthContext {
    const { endpoint, trace } = this;
    return new AuthContext({
      endpoint,
      trace,
      clock: systemClock,
      web: guardedWeb({ from: endpoint, fetch: this.fetch, trace }),
    });
  }

  get request(): OutgoingRequest {
    return { method: 'POST', url: this.endpoint, operation: 'tools/call', signal: new AbortController().signal };
  }

  /** A rejected request with these header fields. */
  refusal(wwwAuthenticate: string, more: Partial<ChallengedRequest> = {}): ChallengedRequest {
    const header = (name: string): string | undefined => (name === 'www-authenticate' ? wwwAuthenticate : undefined);
    const none = { sent: undefined, revision: undefined };
    return { ...this.request, status: 401, header, ...none, ...more };
  }

  /** Authorizes after a 401, and returns the header fields to send. */
  async enter(
    auth: HttpAuth,
    wwwAuthenticate = 'Bearer',
    more: Partial<ChallengedRequest> = {},
  ): Promise<HeaderFields> {
    const sent = await auth.headers(this.request);
    if (!(await auth.onChallenge(this.refusal(wwwAuthenticate, { sent, ...more }))))
      throw new Error('nothing new to show');
    return auth.headers(this.request);
  }
}

/** The claims of a token, unverified. */
export function claimsIn(fields: HeaderFields): JsonObject {
  const payload = fields?.['authorization']?.split(' ')[1]?.split('.')[1] ?? '';
  return JSON.parse(Buffer.from(payload, 'base64url').toString()) as JsonObject; // our own token
}
