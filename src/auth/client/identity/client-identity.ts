/** Authenticates a client at the token endpoint: by secret, by signed assertion, or not at all. */
import type { McpError } from '../../../errors.ts';
import { basicCredentials } from '../../../model/challenge.ts';
import type { AuthContext } from '../context/auth-context.ts';
import type { AuthorizationServer } from '../discovery/authorization-server.ts';
import { type ClientKey, signAssertion } from './client-key.ts';

export interface ClientIdentity {
  readonly id: string;
  readonly secret?: string | undefined;
  readonly key?: ClientKey | undefined;
  /** `token_endpoint_auth_method` of the registration, if any. */
  readonly method?: string | undefined;
  /** The authorization server of a preregistered client. The client is never used with another. */
  readonly issuer?: string | undefined;
}

/** Headers and parameters that authenticate a token request. */
interface ClientProof {
  readonly headers: Readonly<Record<string, string>>;
  readonly params: Readonly<Record<string, string>>;
}

type ClientAuthMethod = 'none' | 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt';
const STEP = 'client authentication';

export async function authenticateClient(
  context: AuthContext,
  client: ClientIdentity,
  server: AuthorizationServer,
): Promise<ClientProof> {
  const { id, secret = '', key } = client;
  const method = selectMethod(context, client, server);
  context.traceChoice(STEP, method);
  if (key !== undefined) {
    checkAlgorithm(context, key, server);
    const assertion = await signAssertion(key, { id, audience: server.issuer, clock: context.clock });
    const type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
    return { headers: {}, params: { client_assertion_type: type, client_assertion: assertion } };
  }
  if (method === 'client_secret_basic') {
    return { headers: { authorization: basicCredentials(id, secret) }, params: {} };
  }
  return { headers: {}, params: { client_id: id, ...(method === 'none' ? {} : { client_secret: secret }) } };
}

function selectMethod(
  context: AuthContext,
  { secret, key, method }: ClientIdentity,
  server: AuthorizationServer,
): ClientAuthMethod {
  // The default of RFC 8414, section 2.
  const supported = server.authMethods ?? ['client_secret_basic'];
  const unsupported = (what: string): McpError =>
    context.failure(STEP, `the authorization server does not accept ${what}, only ${supported.join(', ')}`);
  if (key !== undefined) {
    if (server.authMethods === undefined || supported.includes('private_key_jwt')) return 'private_key_jwt';
    throw unsupported('a signed assertion');
  }
  if (secret === undefined) return 'none';
  const candidates = ['client_secret_basic', 'client_secret_post', 'none'] as const;
  const registered = candidates.find((one) => one === method);
  const found = registered ?? candidates.find((one) => supported.includes(one));
  if (found === undefined) throw unsupported('a client secret');
  return found;
}

function checkAlgorithm(context: AuthContext, { alg }: ClientKey, { signingAlgorithms }: AuthorizationServer): void {
  if (signingAlgorithms === undefined || signingAlgorithms.includes(alg)) return;
  const accepted = signingAlgorithms.join(', ');
  throw context.failure(STEP, `the key signs with ${alg}, the authorization server accepts ${accepted}`);
}
