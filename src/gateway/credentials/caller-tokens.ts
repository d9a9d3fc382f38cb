/** Remembers callers' verified tokens, which are exchanged for upstream credentials. They are sent to token endpoints only. */
import { McpError } from '../../errors.ts';
import { defined } from '../../jsonrpc/message.ts';
import type { Authenticator, ClientAuth } from '../../model/auth.ts';
import { type AuthInfo, principalOf } from '../../model/caller.ts';
import { setNewest } from '../../peer/set-newest.ts';
import type { UpstreamCredentials } from '../contract.ts';

/** Beyond this, the token of the least recently seen caller is evicted. */
const MAX_TOKENS = 10_000;
/** Cached credentials per upstream. */
const MAX_CREDENTIALS = 1_000;

/** Creates one caller's credentials for one upstream. */
export type MakeCredentials = (subjectToken: () => Promise<string>) => ClientAuth;

/** Keeps the latest token of each caller in memory, to create upstream credentials from it. */
export interface CallerTokens {
  /** Wraps an authenticator so that it remembers the latest token of each caller. */
  remember(authenticate: Authenticator): Authenticator;
  /** Credentials for one upstream, created per caller and set of scopes. */
  credentials(make: MakeCredentials): UpstreamCredentials;
}

/** Creates the store. Pass `remember(…)` as `auth` of the HTTP server, and `credentials(…)` as `auth` of an upstream. */
export function callerTokens(): CallerTokens {
  const tokens = new Map<string, string>();
  const tokenOf = (key: string): string => {
    const token = tokens.get(key);
    if (token !== undefined) return token;
    const why = 'the caller has not called with a token that could be exchanged';
    throw new McpError('MCP_AUTH_FAILED', { url: 'the upstream', step: 'token exchange', why });
  };
  return {
    remember(authenticate) {
      const remembering: Authenticator = async (request) => {
        const auth = await authenticate(request);
        if ('wwwAuthenticate' in auth) return auth;
        const [, token] = /^(?:bearer|dpop)\s+(\S+)$/i.exec(request.header('authorization') ?? '') ?? [];
        if (token !== undefined) setNewest(tokens, credentialKey(auth), token, MAX_TOKENS);
        return auth;
      };
      const { documents, insufficient } = authenticate;
      return Object.assign(
        remembering,
        defined<Pick<Authenticator, 'documents' | 'insufficient'>>({ documents, insufficient }),
      );
    },
    credentials(make) {
      const made = new Map<string, ClientAuth>();
      return {
        keyFor: credentialKey,
        authFor: (auth) => {
          const key = credentialKey(auth);
          const own = made.get(key) ?? make(async () => tokenOf(key));
          setNewest(made, key, own, MAX_CREDENTIALS);
          return own;
        },
      };
    },
  };
}

/** Scopes are part of the key: a token with fewer scopes must not reuse credentials made from one with more. */
const credentialKey = (auth: AuthInfo | undefined): string =>
  JSON.stringify([principalOf(auth), auth?.scopes.toSorted() ?? []]);
