/** The authorization of the everything-client, by scenario. */
import { clientCredentials, enterpriseManaged, oauth, type SignIn, workloadIdentity } from 'mooring/auth';
import type { ClientAuth } from 'mooring/client';

/** The context that the suite passes to some scenarios. */
export interface SuiteContext {
  readonly toolCalls?: readonly { readonly name: string; readonly arguments: Readonly<Record<string, unknown>> }[];
  readonly client_id?: string;
  readonly client_secret?: string;
  readonly issuer?: string;
  readonly private_key_pem?: string;
  readonly signing_algorithm?: string;
  readonly idp_client_id?: string;
  readonly idp_id_token?: string;
  readonly idp_token_endpoint?: string;
  readonly valid_jwt?: string;
}

/** A sign-in without a browser: the suite's authorization servers redirect at once. */
const obliging: SignIn = {
  begin: async () => ({
    redirectUri: 'http://localhost:3000/callback',
    async finish(url) {
      const { headers } = await fetch(url, { redirect: 'manual' });
      return headers.get('location') ?? '';
    },
    close: async () => undefined,
  }),
};
const clientName = 'mooring-everything';
const clientMetadataUrl = 'https://conformance-test.local/client-metadata.json';

type Way = (context: SuiteContext) => ClientAuth;

const ways: ReadonlyMap<string, Way> = new Map<string, Way>([
  ['auth/basic-cimd', () => oauth({ signIn: obliging, clientMetadataUrl })],
  ['auth/pre-registration', (context) => oauth({ signIn: obliging, client: clientOf(context) })],
  ['auth/dpop', () => oauth({ signIn: obliging, clientName, dpop: true })],
  ['auth/dpop-nonce', () => oauth({ signIn: obliging, clientName, dpop: true })],
  ['auth/client-credentials-basic', (context) => clientCredentials({ client: clientOf(context) })],
  [
    'auth/client-credentials-jwt',
    ({ client_id: id = '', private_key_pem: privateKey, signing_algorithm: alg }) =>
      clientCredentials({ client: { id, privateKey, alg } }),
  ],
  [
    'auth/enterprise-managed-authorization',
    (context) =>
      enterpriseManaged({
        idp: { tokenEndpoint: context.idp_token_endpoint, client: { id: context.idp_client_id ?? '' } },
        idToken: async () => context.idp_id_token ?? '',
        client: clientOf(context),
      }),
  ],
  ['auth/wif-jwt-bearer', ({ valid_jwt }) => workloadIdentity({ assertion: async () => valid_jwt ?? '' })],
]);

export function authorized(scenario: string, context: SuiteContext): ClientAuth {
  return ways.get(scenario)?.(context) ?? oauth({ signIn: obliging, clientName });
}

const clientOf = ({ client_id: id = '', client_secret: secret, issuer }: SuiteContext) => ({ id, secret, issuer });
