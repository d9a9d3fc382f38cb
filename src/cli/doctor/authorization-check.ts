/** Checks authorization: a 401 or 403, and whether its metadata leads a client to the authorization server. */
import { coversEndpoint } from '../../auth/client/discovery/resource-metadata.ts';
import { resourceMetadataUrls } from '../../auth/web/well-known.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import { parseObject } from '../../jsonrpc/read.ts';
import { parseChallenges } from '../../model/challenge.ts';
import { printable } from '../../model/printable.ts';
import type { CheckedEndpoint, RawAnswer } from './endpoint.ts';
import { type DoctorFinding, doctorFault, FatalFinding, type FaultDetails, passedFinding } from './finding.ts';

/** `signsIn`: a later check opens the server on a terminal, where the user can sign in. Otherwise a required sign-in is fatal. */
export async function authorizationCheck(
  answer: RawAnswer,
  endpoint: CheckedEndpoint,
  { signsIn }: { readonly signsIn: boolean },
): Promise<DoctorFinding> {
  if (answer.status === 403) throw new FatalFinding('authorization', forbidden(answer));
  if (answer.status !== 401)
    return passedFinding('authorization', endpoint.hasCredentials ? 'token accepted' : 'not required');
  if (endpoint.hasCredentials)
    throw new FatalFinding('authorization', 'token-refused', `token rejected${errorIn(answer)}`);
  const metadata = await metadataOf(answer, endpoint);
  const { resource, authorization_servers: issuers } = metadata;
  if (typeof resource !== 'string' || !coversEndpoint(resource, endpoint.url))
    throw new FatalFinding('authorization', wrongResource(resource, endpoint.url));
  const issuer = Array.isArray(issuers) && typeof issuers[0] === 'string' ? issuers[0] : undefined;
  const found =
    issuer === undefined
      ? 'the metadata names no authorization server'
      : `tokens are issued by ${printable(issuer.slice(0, 200))}`;
  if (signsIn) return passedFinding('authorization', found);
  throw new FatalFinding('authorization', 'sign-in-needed', `sign-in required; ${found}`);
}

function forbidden({ text }: RawAnswer): FaultDetails {
  const said = printable(text.trim().slice(0, 160));
  if (/\b(?:host|origin)\b/i.test(text))
    return doctorFault('host-refused', `this host name or origin is not allowed (HTTP 403: "${said}")`);
  return doctorFault(
    'forbidden',
    `access denied (HTTP 403${said === '' ? '' : `: "${said}"`})`,
    "check the token's scopes, and any firewall or proxy in front of the server",
  );
}

function errorIn(answer: RawAnswer): string {
  const [challenge] = parseChallenges(answer.header('www-authenticate') ?? '');
  const error = challenge?.params.get('error_description') ?? challenge?.params.get('error');
  return error === undefined ? '' : `: "${printable(error.slice(0, 160))}"`;
}

/** Reads the protected resource metadata (RFC 9728), at the URL in the challenge or else at the well-known URLs. */
async function metadataOf(answer: RawAnswer, endpoint: CheckedEndpoint): Promise<JsonObject> {
  const named = parseChallenges(answer.header('www-authenticate') ?? '')
    .map(({ params }) => params.get('resource_metadata'))
    .find((url) => url !== undefined);
  const places = named === undefined ? resourceMetadataUrls(endpoint.url) : [named];
  for (const place of places) {
    const url = URL.canParse(place, endpoint.url) ? new URL(place, endpoint.url) : undefined;
    // Same origin only: a challenge must not make the doctor request other hosts (SSRF).
    if (url?.origin !== endpoint.url.origin) continue;
    const document = await endpoint.document(url).catch(() => undefined);
    const metadata = document?.status === 200 ? parseObject(document.text) : undefined;
    if (metadata !== undefined) return metadata;
  }
  throw new FatalFinding(
    'authorization',
    'no-resource-metadata',
    `token required, but the server does not say who issues it: no metadata at ${places.map((one) => printable(one.slice(0, 200))).join(' or ')}`,
  );
}

function wrongResource(resource: unknown, { href }: URL): FaultDetails {
  const named = typeof resource === 'string' ? printable(resource.slice(0, 200)) : 'nothing';
  return doctorFault(
    'wrong-resource',
    `the resource metadata is for ${named}, not for ${href}`,
    `set "resource" to "${href}" in the metadata, or use the URL that the metadata names`,
  );
}
