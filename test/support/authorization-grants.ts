/** The grants of an authorization server: codes, refresh tokens and access tokens, and their state. */

import { createHash, randomUUID } from 'node:crypto';
import { decodeJwt } from 'jose';
import type { JsonObject } from '../../src/jsonrpc/message.ts';
import { type OAuthClient, OAuthFault } from './authorization-clients.ts';
import type { SigningKeys } from './signing-keys.ts';

/** The client and the DPoP key that a token is bound to. */
export interface Bound {
  readonly client: OAuthClient | undefined;
  /** The thumbprint of the DPoP key. */
  readonly jkt: string | undefined;
}

export interface Issued {
  readonly access_token: string;
  readonly token_type: string;
  readonly [member: string]: unknown;
}

interface Consent {
  readonly clientId: string;
  readonly redirectUri: string | null;
  readonly challenge: string | null;
  readonly jkt: string | null;
  readonly resource: string | null;
  readonly scope: string | null;
  readonly subject: string;
}

const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';
const ID_JAG = 'urn:ietf:params:oauth:token-type:id-jag';

export class Grants {
  readonly #keys: SigningKeys;
  readonly #opaque: boolean;
  readonly #codes: Map<string, Consent> = new Map();
  readonly #refreshes: Map<string, Consent> = new Map();
  readonly #active: Map<string, JsonObject> = new Map();

  constructor(keys: SigningKeys, opaque: boolean) {
    this.#keys = keys;
    this.#opaque = opaque;
  }

  /** Issues a code for what the user agreed to. */
  consent(params: URLSearchParams, subject: string): string {
    const code = randomUUID();
    this.#codes.set(code, {
      clientId: params.get('client_id') ?? '',
      redirectUri: params.get('redirect_uri'),
      challenge: params.get('code_challenge'),
      jkt: params.get('dpop_jkt'),
      resource: params.get('resource'),
      scope: params.get('scope'),
      subject,
    });
    return code;
  }

  byCode(params: URLSearchParams, bound: Bound): Promise<Issued> {
    const code = params.get('code') ?? '';
    const consent = this.#codes.get(code);
    this.#codes.delete(code);
    const challenge = createHash('sha256')
      .update(params.get('code_verifier') ?? '')
      .digest('base64url');
    const fits =
      consent?.clientId === bound.client?.id &&
      consent?.redirectUri === params.get('redirect_uri') &&
      consent?.challenge === challenge &&
      (consent.jkt === null || consent.jkt === bound.jkt) &&
      consent.resource === params.get('resource');
    if (consent === undefined || !fits) throw new OAuthFault('invalid_grant', 'this code is for something else');
    return this.#withRefresh(consent, bound);
  }

  /** A refresh token can be used once. */
  byRefresh(params: URLSearchParams, bound: Bound): Promise<Issued> {
    const token = params.get('refresh_token') ?? '';
    const consent = this.#refreshes.get(token);
    this.#refreshes.delete(token);
    if (consent === undefined || consent.clientId !== bound.client?.id)
      throw new OAuthFault('invalid_grant', 'this refresh token is not good any more');
    return this.#withRefresh(consent, bound);
  }

  byClient(params: URLSearchParams, bound: Bound): Promise<Issued> {
    const { client } = bound;
    if (client?.secret === undefined && client?.jwk === undefined)
      throw new OAuthFault('unauthorized_client', 'only for clients that can prove who they are');
    return this.#token({ sub: client.id, ...meant(params) }, bound);
  }

  byAssertion(claims: JsonObject, params: URLSearchParams, bound: Bound): Promise<Issued> {
    return this.#token({ ...meant(params), ...claims }, bound);
  }

  /** Exchanges a token for an identity assertion, or for a token that acts for the subject. */
  async byExchange(params: URLSearchParams, bound: Bound): Promise<Issued> {
    const { client } = bound;
    if (params.get('requested_token_type') === ACCESS_TOKEN) {
      const { sub } = decodeJwt(params.get('subject_token') ?? '');
      return { ...(await this.#token({ sub, ...meant(params) }, bound)), issued_token_type: ACCESS_TOKEN };
    }
    if (params.get('requested_token_type') !== ID_JAG) throw new OAuthFault('invalid_request', 'only id-jag');
    const claims = {
      sub: 'ada',
      aud: params.get('audience'),
      resource: params.get('resource'),
      client_id: client?.id,
      scope: params.get('scope') ?? undefined,
    };
    const access_token = await this.#keys.sign(claims, { header: { typ: 'oauth-id-jag+jwt' } });
    return { access_token, issued_token_type: ID_JAG, token_type: 'N_A', expires_in: this.#keys.seconds };
  }

  introspected(token: string): JsonObject {
    const claims = this.#active.get(token);
    const over = claims === undefined || Number(claims['exp']) <= this.#keys.now();
    return over ? { active: false } : { active: true, ...claims };
  }

  /** Revokes an access or refresh token. */
  revoke(token: string): void {
    this.#active.delete(token);
    this.#refreshes.delete(token);
  }

  /** Whether a refresh token is still valid. */
  isRefreshable(token: string): boolean {
    return this.#refreshes.has(token);
  }

  async #withRefresh(consent: Consent, bound: Bound): Promise<Issued> {
    const refresh_token = randomUUID();
    this.#refreshes.set(refresh_token, consent);
    const { subject, resource, scope } = consent;
    const issued = await this.#token({ sub: subject, aud: resource ?? undefined, scope: scope ?? undefined }, bound);
    const isOpenId = scope?.split(' ').includes('openid') === true;
    const claims = { sub: subject, aud: bound.client?.id, name: `Name of ${subject}`, email: `${subject}@example.com` };
    return { ...issued, refresh_token, ...(isOpenId ? { id_token: await this.#keys.sign(claims) } : {}) };
  }

  async #token(claims: JsonObject, { client, jkt }: Bound): Promise<Issued> {
    const whole = this.#keys.whole({
      ...claims,
      ...(client === undefined ? {} : { client_id: client.id }),
      ...(jkt === undefined ? {} : { cnf: { jkt } }),
    });
    const access_token = this.#opaque ? randomUUID() : await this.#keys.sign(whole);
    this.#active.set(access_token, whole);
    const scope = claims['scope'] === undefined ? {} : { scope: claims['scope'] };
    const token_type = jkt === undefined ? 'Bearer' : 'DPoP';
    return { access_token, token_type, expires_in: this.#keys.seconds, ...scope };
  }
}

const meant = (params: URLSearchParams): JsonObject => ({
  aud: params.get('resource') ?? undefined,
  scope: params.get('scope') ?? undefined,
});
