/** Credentials as they are kept: what a client is called where, and its tokens. What cannot be read back was never there. */

import { type MetadataDocument, parseDocument } from '../context/metadata-document.ts';
import type { ClientIdentity } from '../identity/client-identity.ts';
import type { CredentialStore } from './credential-store.ts';

/** A client as an authorization server registered it. */
export interface Registration extends ClientIdentity {
  readonly redirectUris: readonly string[];
  /** Milliseconds since 1970. */
  readonly expiresAt?: number | undefined;
}

/** Tokens as the token endpoint issued them. */
export interface TokenSet {
  readonly accessToken: string;
  readonly scheme: 'Bearer' | 'DPoP';
  /** Milliseconds since 1970; undefined if the server does not say. */
  readonly expiresAt?: number | undefined;
  /** Of the same kind: when to get another, to be in time. */
  readonly renewAt?: number | undefined;
  readonly refreshToken?: string | undefined;
  /** What was granted, if that is not what was asked for. */
  readonly scopes?: readonly string[] | undefined;
}

/** Tokens, with what they are for and whom they are from: they are used for nothing and with nobody else. */
export interface HeldTokens extends TokenSet {
  readonly issuer: string;
  readonly resource: string;
  readonly clientId?: string | undefined;
  /** What was asked for. */
  readonly requested: readonly string[];
}

/** Of one authorization server. */
const MAX_REGISTRATIONS = 4;

export class TokenStore {
  readonly #store: CredentialStore;

  constructor(store: CredentialStore) {
    this.#store = store;
  }

  /** The newest first. */
  async registrations(issuer: string): Promise<readonly Registration[]> {
    const document = await this.#read(`clients ${issuer}`);
    return (document?.documents('clients') ?? []).flatMap((one) => readRegistration(one) ?? []);
  }

  /** An older one may still be needed, to refresh tokens that were issued to it. */
  async saveRegistration(issuer: string, registration: Registration): Promise<void> {
    await this.#write(issuer, [registration, ...(await this.#others(issuer, registration.id))]);
  }

  async removeRegistration(issuer: string, id: string): Promise<void> {
    await this.#write(issuer, await this.#others(issuer, id));
  }

  /** The authorization server that a client known beforehand was first shown to. */
  async issuerOf(client: string): Promise<string | undefined> {
    return (await this.#read(`issuer ${client}`))?.text('issuer');
  }

  saveIssuer(client: string, issuer: string): Promise<void> {
    return this.#store.write(`issuer ${client}`, JSON.stringify({ issuer }));
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
  saveTokens(endpoint: URL, { scheme: _, ...tokens }: HeldTokens): Promise<void> {
    return this.#store.write(`tokens ${endpoint.href}`, JSON.stringify(tokens));
  }

  async #others(issuer: string, id: string): Promise<readonly Registration[]> {
    return (await this.registrations(issuer)).filter((one) => one.id !== id);
  }

  #write(issuer: string, registrations: readonly Registration[]): Promise<void> {
    const clients = registrations
      .slice(0, MAX_REGISTRATIONS)
      .map(({ id, secret, method, redirectUris, expiresAt }) => ({ id, secret, method, redirectUris, expiresAt }));
    return this.#store.write(`clients ${issuer}`, JSON.stringify({ clients }));
  }

  async #read(key: string): Promise<MetadataDocument | undefined> {
    const text = await this.#store.read(key);
    return text === undefined ? undefined : parseDocument(text);
  }
}

function readRegistration(document: MetadataDocument): Registration | undefined {
  const id = document.text('id');
  if (id === undefined) return undefined;
  return {
    id,
    secret: document.text('secret'),
    method: document.text('method'),
    redirectUris: document.texts('redirectUris') ?? [],
    expiresAt: document.number('expiresAt'),
  };
}
