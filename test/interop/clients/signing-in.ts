/** The official clients with authorization: a shared store of credentials, and a user with a browser. */
import {
  Client as Client2,
  type OAuthDiscoveryState,
  StreamableHTTPClientTransport as Transport2,
  UnauthorizedError as Unauthorized2,
} from '@modelcontextprotocol/client';
import { UnauthorizedError as Unauthorized1 } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Browser } from '../authorization/browser.ts';

export const redirectUrl = 'http://127.0.0.1:4999/callback';

/** What applications must implement for their SDKs. */
class Credentials {
  readonly redirectUrl = redirectUrl;
  readonly clientMetadata = {
    client_name: 'Official',
    redirect_uris: [redirectUrl],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    application_type: 'native' as const,
  };
  readonly shown: URL[] = [];
  #client: { client_id: string } | undefined;
  #tokens: { access_token: string; token_type: string } | undefined;
  #discovered: OAuthDiscoveryState | undefined;
  #verifier = '';

  constructor(clientId: string | undefined) {
    this.#client = clientId === undefined ? undefined : { client_id: clientId };
  }

  clientInformation(): { client_id: string } | undefined {
    return this.#client;
  }
  saveClientInformation(client: { client_id: string }): void {
    this.#client = client;
  }
  tokens(): { access_token: string; token_type: string } | undefined {
    return this.#tokens;
  }
  saveTokens(tokens: { access_token: string; token_type: string }): void {
    this.#tokens = tokens;
  }
  redirectToAuthorization(url: URL): void {
    this.shown.push(url);
  }
  saveDiscoveryState(state: OAuthDiscoveryState): void {
    this.#discovered = state;
  }
  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#discovered;
  }
  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }
  codeVerifier(): string {
    return this.#verifier;
  }
}

export interface SigningIn {
  /** The authorization URLs, one per sign-in. */
  readonly shown: readonly URL[];
  readonly revision: string | undefined;
  call(name: string): Promise<string>;
  close(): Promise<void>;
}

interface Said {
  readonly content: readonly { readonly type: string; readonly text?: string }[];
}
const textIn = (result: unknown): string => (result as Said).content[0]?.text ?? ''; // our tools return one text

/** Runs a request; if it needs a sign-in, signs in and repeats it. */
async function entering<T>(attempt: () => Promise<T>, signedIn: () => Promise<void>): Promise<T> {
  try {
    return await attempt();
  } catch (error) {
    if (!(error instanceof Unauthorized1 || error instanceof Unauthorized2)) throw error;
    await signedIn();
    return attempt();
  }
}

/** With `clientId`, the client is registered in advance; otherwise it registers. */
export async function signingIn1(url: string, clientId?: string): Promise<SigningIn> {
  const authProvider = new Credentials(clientId);
  const browser = new Browser();
  const fresh = (): Transport1 => new Transport1(new URL(url), { authProvider });
  let transport = fresh();
  const signedIn = async (): Promise<void> => {
    const back = await browser.until(authProvider.shown.at(-1)?.href ?? '', redirectUrl);
    await transport.finishAuth(back.searchParams.get('code') ?? '');
  };
  const client = await entering(async () => {
    const opened = new Client1({ name: 'sdk-1', version: '1.0.0' });
    transport = fresh();
    await opened.connect(transport);
    return opened;
  }, signedIn);
  return {
    shown: authProvider.shown,
    revision: transport.protocolVersion,
    call: async (name) => textIn(await entering(() => client.callTool({ name, arguments: {} }), signedIn)),
    close: () => client.close(),
  };
}

export async function signingIn2(url: string, mode: 'auto' | 'legacy', clientId?: string): Promise<SigningIn> {
  const authProvider = new Credentials(clientId);
  const browser = new Browser();
  const fresh = (): Transport2 => new Transport2(new URL(url), { authProvider });
  let transport = fresh();
  const signedIn = async (): Promise<void> => {
    const back = await browser.until(authProvider.shown.at(-1)?.href ?? '', redirectUrl);
    await transport.finishAuth(back.searchParams);
  };
  const client = await entering(async () => {
    const opened = new Client2({ name: 'sdk-2', version: '1.0.0' }, { versionNegotiation: { mode } });
    transport = fresh();
    await opened.connect(transport);
    return opened;
  }, signedIn);
  return {
    shown: authProvider.shown,
    revision: client.getNegotiatedProtocolVersion(),
    call: async (name) => textIn(await entering(() => client.callTool({ name, arguments: {} }), signedIn)),
    close: () => client.close(),
  };
}
