/** Parts of attacks on a client: a manipulated MCP server, an authorization server, and a user with a browser. */
import { inspect } from 'node:util';
import { type OAuthOptions, oauth, type SignIn, type TraceStep } from '../../src/auth/index.ts';
import type { Client } from '../../src/client/index.ts';
import { connect } from '../../src/connect/connect.ts';
import { createServer, httpHandler, type JsonObject, tool } from '../../src/index.ts';
import { AuthorizationServer, type AuthorizationServerOptions, answered } from './authorization-server.ts';
import { type Listening, listening } from './listening.ts';

/** A request that a server received. */
export interface Knock {
  readonly method: string;
  readonly path: string;
  readonly authorization: string | null;
  /** The whole request as text. */
  readonly all: string;
}

type Route = (request: Request) => Response | undefined | Promise<Response | undefined>;

export interface Attacked extends Listening {
  readonly knocks: Knock[];
}

/** A server with these routes, which records its requests. */
export async function anybody(make: (origin: string) => Route): Promise<Attacked> {
  const knocks: Knock[] = [];
  const socket = await listening((origin) => {
    const route = make(origin);
    return async (request) => {
      const sent = await request.clone().text();
      const fields = JSON.stringify([...request.headers]);
      const { pathname, search } = new URL(request.url);
      const authorization = request.headers.get('authorization');
      const all = `${pathname}${search} ${fields} ${sent}`;
      knocks.push({ method: request.method, path: pathname, authorization, all });
      return (await route(request)) ?? new Response('Not found', { status: 404 });
    };
  });
  return { ...socket, knocks };
}

export const challenge = (status: number, params: Readonly<Record<string, string>>): Response => {
  const written = Object.entries(params).map(([name, value]) => `${name}="${value}"`);
  return new Response(null, { status, headers: { 'www-authenticate': `Bearer ${written.join(', ')}` } });
};

export interface McpOptions {
  /** The URLs of its authorization servers. */
  readonly issuers: readonly string[];
  /** Replaces members of the metadata. */
  readonly says?: Readonly<Record<string, unknown>>;
  /** Answers in place of the server, unless it returns undefined. */
  readonly instead?: Route;
}

const echo = tool({ name: 'echo', description: 'Says it again', run: async () => 'hello' });
export const METADATA = '/.well-known/oauth-protected-resource/mcp';

/** An MCP server at `/mcp` that accepts any token. */
export function mcp(options: (origin: string) => McpOptions): Promise<Attacked> {
  const serve = httpHandler(createServer({ name: 'harbour', version: '1.0.0', parts: [echo] }));
  return anybody((origin) => {
    const { issuers, says = {}, instead } = options(origin);
    return async (request) => {
      const { pathname } = new URL(request.url);
      const own = await instead?.(request);
      if (own !== undefined) return own;
      if (pathname === METADATA)
        return answered({ resource: `${origin}/mcp`, authorization_servers: issuers, ...says });
      if (pathname !== '/mcp') return undefined;
      if (!request.headers.has('authorization')) return challenge(401, { resource_metadata: origin + METADATA });
      return serve(request);
    };
  });
}

export interface Honest extends Listening {
  readonly auth: AuthorizationServer;
  /** Secrets that it issued. */
  readonly secrets: Set<string>;
}

const confidential = ['access_token', 'refresh_token', 'client_secret', 'code', 'code_verifier'];

/** An authorization server; options can depend on its origin. */
export async function authorizationServer(
  options: (origin: string) => Omit<AuthorizationServerOptions, 'issuer'> = () => ({}),
): Promise<Honest> {
  const secrets = new Set<string>();
  let auth: AuthorizationServer | undefined;
  const socket = await listening((origin) => {
    const server = new AuthorizationServer({ issuer: origin, ...options(origin) });
    auth = server;
    return async (request) => {
      const form = new URLSearchParams(await request.clone().text());
      const response = await server.fetch(request);
      const back = response.headers.get('location');
      const said = new URLSearchParams(back === null ? '' : new URL(back).search);
      const json = (await response
        .clone()
        .json()
        .catch(() => ({}))) as JsonObject; // our server sends objects
      for (const name of confidential)
        for (const secret of [form.get(name), said.get(name), json[name]])
          if (typeof secret === 'string' && secret.length > 8) secrets.add(secret);
      return response;
    };
  });
  if (auth === undefined) throw new Error('nobody listens');
  return { ...socket, auth, secrets };
}

/** Agrees to everything, and returns with the URL that `tamper` returns. */
export class Person implements SignIn {
  /** All pages that were shown. */
  readonly visits: string[] = [];
  readonly #tamper: (back: URL) => URL;

  constructor(tamper: (back: URL) => URL = (back) => back) {
    this.#tamper = tamper;
  }

  async begin(): ReturnType<SignIn['begin']> {
    const redirectUri = 'http://127.0.0.1:1/callback';
    return {
      redirectUri,
      finish: async (url) => {
        let at = url;
        while (!at.startsWith(redirectUri)) {
          this.visits.push(at);
          const location = (await fetch(at, { redirect: 'manual' })).headers.get('location');
          if (location === null) throw new Error('the page leads nowhere');
          at = new URL(location, at).href;
        }
        return this.#tamper(new URL(at)).href;
      },
      close: async () => undefined,
    };
  }
}

export interface Outcome {
  /** Undefined if the client succeeded. */
  readonly error: unknown;
  readonly trace: readonly TraceStep[];
  /** Everything that a user of the library can read. */
  readonly seen: string;
}

/** Connects and runs the body; an exception is part of the outcome. */
export async function attempt(
  server: Listening,
  person: Person,
  act: (client: Client) => Promise<unknown> = (client) => client.call('echo'),
  options: OAuthOptions = {},
): Promise<Outcome> {
  const trace: TraceStep[] = [];
  const auth = oauth({ ...options, signIn: person, trace: (step) => void trace.push(step) });
  let error: unknown;
  try {
    await using client = await connect(`${server.origin}/mcp`, { auth });
    await act(client);
  } catch (thrown) {
    error = thrown;
  }
  return { error, trace, seen: `${inspect(error, { depth: 9 })}\n${JSON.stringify(trace)}` };
}

/** Secrets that were sent to the wrong server or shown to the user. */
export const leaked = ({ secrets }: Honest, ...texts: readonly (string | readonly Knock[])[]): string[] => {
  const all = texts
    .map((text) => (typeof text === 'string' ? text : text.map((knock) => knock.all).join('\n')))
    .join('\n');
  return [...secrets].filter((secret) => all.includes(secret) || all.includes(encodeURIComponent(secret)));
};
