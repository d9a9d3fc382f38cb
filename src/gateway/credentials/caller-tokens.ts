/** The tokens that callers were verified by, for credentials that are made of them. They go to token endpoints alone. */
import { McpError } from '../../errors.ts';
import { defined } from '../../jsonrpc/message.ts';
import type { Authenticator, ClientAuth } from '../../model/auth.ts';
import { type AuthInfo, principalOf } from '../../model/caller.ts';
import { setNewest } from '../../peer/set-newest.ts';
import type { UpstreamCredentials } from '../contract.ts';

/** Callers whose tokens are kept; the one that called longest ago is dropped. */
const MAX_TOKENS = 10_000;
/** Callers whose credentials for one upstream are kept. */
const MAX_CREDENTIALS = 1_000;

/** Makes the credentials of one caller for one upstream. */
export type MakeCredentials = (subjectToken: () => Promise<string>) => ClientAuth;

/** Keeps the last token of each caller for as long as the process runs, to make credentials for upstreams of it. */
export interface CallerTokens {
  /** The same authenticator, which from now on remembers the last token of each caller. */
  remember(authenticate: Authenticator): Authenticator;
  /** Credentials for one upstream that are made for each caller and each set of scopes. */
  credentials(make: MakeCredentials): UpstreamCredentials;
}

/** For `auth` of the server on HTTP, and `auth` of upstreams that get tokens on behalf of callers. */
export const callerTokens = (): CallerTokens => new RememberedTokens();

class RememberedTokens implements CallerTokens {
  readonly #tokens: Map<string, string> = new Map();

  remember(authenticate: Authenticator): Authenticator {
    const remembering: Authenticator = async (request) => {
      const auth = await authenticate(request);
      if ('wwwAuthenticate' in auth) return auth;
      const [, token] = /^(?:bearer|dpop)\s+(\S+)$/i.exec(request.header('authorization') ?? '') ?? [];
      if (token !== undefined) setNewest(this.#tokens, credentialKey(auth), token, MAX_TOKENS);
      return auth;
    };
    const { documents, insufficient } = authenticate;
    return Object.assign(
      remembering,
      defined<Pick<Authenticator, 'documents' | 'insufficient'>>({ documents, insufficient }),
    );
  }

  credentials(make: MakeCredentials): UpstreamCredentials {
    const made = new Map<string, ClientAuth>();
    return {
      keyFor: credentialKey,
      authFor: (auth) => {
        const key = credentialKey(auth);
        const own = made.get(key) ?? make(async () => this.#tokenOf(key));
        setNewest(made, key, own, MAX_CREDENTIALS);
        return own;
      },
    };
  }

  #tokenOf(key: string): string {
    const token = this.#tokens.get(key);
    if (token !== undefined) return token;
    const why = 'the caller has not called with a token that could be exchanged';
    throw new McpError('MCP_AUTH_FAILED', { url: 'the upstream', step: 'token exchange', why });
  }
}

/** A token with fewer scopes must not use what was made of one with more. */
const credentialKey = (auth: AuthInfo | undefined): string =>
  JSON.stringify([principalOf(auth), auth?.scopes.toSorted() ?? []]);
