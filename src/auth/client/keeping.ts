/** Credentials as they are kept: what a client is called where, and its tokens. What cannot be read back was never there. */
import type { ClientIdentity } from './client-identity.ts';
import type { CredentialStore } from './credential-store.ts';
import { type Document, parsedDocument } from './document.ts';
import type { TokenSet } from './token-endpoint.ts';

/** A client as an authorization server registered it. */
export interface Registration extends ClientIdentity {
  readonly redirectUris: readonly string[];
  /** Milliseconds since 1970. */
  readonly expiresAt?: number | undefined;
}

/** Tokens, with what they are for and whom they are from: they are used for nothing and with nobody else. */
export interface HeldTokens extends TokenSet {
  readonly issuer: string;
  readonly resource: string;
  readonly clientId?: string | undefined;
  /** What was asked for. */
  readonly requested: readonly string[];
}

export class Keeping {
  readonly #store: CredentialStore;

  constructor(store: CredentialStore) {
    this.#store = store;
  }

  async registration(issuer: string): Promise<Registration | undefined> {
    const document = await this.#read(`client ${issuer}`);
    const id = document?.text('id');
    if (document === undefined || id === undefined) return undefined;
    return {
      id,
      secret: document.text('secret'),
      method: document.text('method'),
      redirectUris: document.texts('redirectUris') ?? [],
      expiresAt: document.number('expiresAt'),
    };
  }

  keepRegistration(issuer: string, { id, secret, method, redirectUris, expiresAt }: Registration): Promise<void> {
    return this.#store.write(`client ${issuer}`, JSON.stringify({ id, secret, method, redirectUris, expiresAt }));
  }

  forgetRegistration(issuer: string): Promise<void> {
    return this.#store.remove(`client ${issuer}`);
  }

  async tokens(endpoint: URL): Promise<HeldTokens | undefined> {
    const document = await this.#read(`tokens ${endpoint.href}`);
    const accessToken = document?.text('accessToken');
    const issuer = document?.text('issuer');
    const resource = document?.text('resource');
    if (document === undefined || accessToken === undefined || issuer === undefined || resource === undefined)
      return undefined;
    return {
      accessToken,
      issuer,
      resource,
      scheme: 'Bearer',
      expiresAt: document.number('expiresAt'),
      renewAt: document.number('renewAt'),
      refreshToken: document.text('refreshToken'),
      scopes: document.texts('scopes'),
      clientId: document.text('clientId'),
      requested: document.texts('requested') ?? [],
    };
  }

  /** Of those that are good for whoever has them; tokens that are bound to a key die with it. */
  keepTokens(endpoint: URL, { scheme: _, ...tokens }: HeldTokens): Promise<void> {
    return this.#store.write(`tokens ${endpoint.href}`, JSON.stringify(tokens));
  }

  async #read(key: string): Promise<Document | undefined> {
    const text = await this.#store.read(key);
    return text === undefined ? undefined : parsedDocument(text);
  }
}
