/** Serializes registrations and tokens to a `CredentialStore`. An entry that cannot be parsed counts as absent. */
import { type MetadataDocument, parseDocument } from '../context/metadata-document.ts';
import type { ClientIdentity } from '../identity/client-identity.ts';
import type { CredentialStore } from './credential-store.ts';

/** A client that an authorization server registered (RFC 7591). */
export interface Registration extends ClientIdentity {
  readonly redirectUris: readonly string[];
  /** Milliseconds since 1970. */
  readonly expiresAt?: number | undefined;
}

/** The user who signed in, from the claims of the ID token. */
export interface SignedInUser {
  readonly subject: string;
  readonly name?: string | undefined;
  readonly email?: string | undefined;
}

/** Tokens as the token endpoint issued them. */
export interface TokenSet {
  readonly accessToken: string;
  readonly scheme: 'Bearer' | 'DPoP';
  /** Milliseconds since 1970; undefined if the server does not say. */
  readonly expiresAt?: number | undefined;
  /** Milliseconds since 1970: when to renew the access token. */
  readonly renewAt?: number | undefined;
  readonly refreshToken?: string | undefined;
  /** The granted scopes, if they differ from the requested ones. */
  readonly scopes?: readonly string[] | undefined;
  /** Set if the server also issued an ID token. */
  readonly user?: SignedInUser | undefined;
}

/** Tokens with their issuer and resource, and never used with any other. */
export interface HeldTokens extends TokenSet {
  readonly issuer: string;
  readonly resource: string;
  readonly clientId?: string | undefined;
  readonly requested: readonly string[];
}

/** Stored registrations per authorization server. */
const MAX_REGISTRATIONS = 4;

export class TokenStore {
  readonly #store: CredentialStore;
  /** Bindings as promises, so that of two concurrent endpoints, the first wins. */
  readonly #issuers: Map<string, Promise<string>> = new Map();

  constructor(store: CredentialStore) {
    this.#store = store;
  }

  /** Registrations with an authorization server, newest first. */
  async registrations(issuer: string): Promise<readonly Registration[]> {
    const document = await this.#read(`clients ${issuer}`);
    return (document?.documents('clients') ?? []).flatMap((one) => readRegistration(one) ?? []);
  }

  /** Adds a registration. Older ones are retained, because their tokens can only be refreshed with them. */
  async saveRegistration(issuer: string, registration: Registration): Promise<void> {
    await this.#changeClients(issuer, registration.id, [registration]);
  }

  async removeRegistration(issuer: string, id: string): Promise<void> {
    await this.#changeClients(issuer, id, []);
  }

  /** The authorization server that a preregistered client was first used with. */
  async issuerOf(client: string): Promise<string | undefined> {
    return (await this.#read(`issuer ${client}`))?.text('issuer');
  }

  /** Binds a client to `issuer` unless it is already bound, and returns the bound issuer. Of two concurrent processes, the first wins. */
  bindIssuer(client: string, issuer: string): Promise<string> {
    const bound = this.#issuers.get(client) ?? this.#bindIssuer(client, issuer);
    this.#issuers.set(client, bound);
    bound.catch(() => this.#issuers.delete(client));
    return bound;
  }

  async #bindIssuer(client: string, issuer: string): Promise<string> {
    const key = `issuer ${client}`;
    const bind = async (): Promise<string> => {
      const bound = await this.issuerOf(client);
      if (bound === undefined) await this.#store.write(key, JSON.stringify({ issuer }));
      return bound ?? issuer;
    };
    return (await this.issuerOf(client)) ?? this.#locked(key, bind);
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
      user: readUser(document.document('user')),
    };
  }

  /** For bearer tokens only: a DPoP token is useless without its key, which is not stored. */
  saveTokens(endpoint: URL, { scheme: _, ...tokens }: HeldTokens): Promise<void> {
    return this.#store.write(`tokens ${endpoint.href}`, JSON.stringify(tokens));
  }

  removeTokens(endpoint: URL): Promise<void> {
    return this.#store.remove(`tokens ${endpoint.href}`);
  }

  /** Runs the work while no other process uses the refresh token of this endpoint. */
  whileLocked<T>(endpoint: URL, work: () => Promise<T>): Promise<T> {
    return this.#locked(`tokens ${endpoint.href}`, work);
  }

  /** Replaces the registration with this id: removes it, and prepends `first`. */
  #changeClients(issuer: string, id: string, first: readonly Registration[]): Promise<void> {
    const key = `clients ${issuer}`;
    return this.#locked(key, async () => {
      const others = (await this.registrations(issuer)).filter((one) => one.id !== id);
      const clients = [...first, ...others]
        .slice(0, MAX_REGISTRATIONS)
        .map(({ id, secret, method, redirectUris, expiresAt }) => ({ id, secret, method, redirectUris, expiresAt }));
      await this.#store.write(key, JSON.stringify({ clients }));
    });
  }

  #locked<T>(key: string, work: () => Promise<T>): Promise<T> {
    return this.#store.whileLocked === undefined ? work() : this.#store.whileLocked(key, work);
  }

  async #read(key: string): Promise<MetadataDocument | undefined> {
    const text = await this.#store.read(key);
    return text === undefined ? undefined : parseDocument(text);
  }
}

function readUser(document: MetadataDocument | undefined): SignedInUser | undefined {
  const subject = document?.text('subject');
  return subject === undefined ? undefined : { subject, name: document?.text('name'), email: document?.text('email') };
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
