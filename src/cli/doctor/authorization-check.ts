/** What a refusal asks for, and whether a client can find out how to get it. */

import { coversEndpoint } from '../../auth/client/discovery/resource-metadata.ts';
import { parseChallenges } from '../../auth/web/challenge.ts';
import { resourceMetadataUrls } from '../../auth/web/well-known.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import { parseObject } from '../../jsonrpc/read.ts';
import { printable } from '../../model/printable.ts';
import type { CheckedEndpoint } from './endpoint.ts';
import { type DoctorFinding, FatalFinding, type FaultDetails, passedFinding } from './finding.ts';
import type { RawAnswer } from './raw-http.ts';

/** `signsIn`: on a terminal, the user is asked to sign in when the server is opened. */
export async function authorizationCheck(
  answer: RawAnswer,
  endpoint: CheckedEndpoint,
  { signsIn }: { readonly signsIn: boolean },
): Promise<DoctorFinding> {
  if (answer.status === 403) throw new FatalFinding('authorization', forbidden(answer));
  if (answer.status !== 401)
    return passedFinding('authorization', endpoint.shows ? 'it takes the token' : 'it wants none');
  if (endpoint.shows)
    throw new FatalFinding('authorization', {
      fault: 'token-refused',
      found: `it refuses the token${errorIn(answer)}`,
      fix: 'get a new one, for this server and with the scopes it wants',
    });
  const metadata = await metadataOf(answer, endpoint);
  const { resource, authorization_servers: issuers } = metadata;
  if (typeof resource !== 'string' || !coversEndpoint(resource, endpoint.url))
    throw new FatalFinding('authorization', wrongResource(resource, endpoint.url));
  const issuer = Array.isArray(issuers) && typeof issuers[0] === 'string' ? issuers[0] : 'no one that it names';
  const found = `tokens are issued by ${printable(issuer.slice(0, 200))}`;
  if (signsIn) return passedFinding('authorization', found);
  throw new FatalFinding('authorization', {
    fault: 'sign-in-needed',
    found: `it wants you to sign in; ${found}`,
    fix: 'sign in with `mooring login`, or pass --header "Authorization: Bearer …"',
  });
}

function forbidden({ text }: RawAnswer): FaultDetails {
  const said = printable(text.trim().slice(0, 160));
  if (/\b(?:host|origin)\b/i.test(text))
    return {
      fault: 'host-refused',
      found: `it does not answer to this host name or origin (status 403: ${said})`,
      fix: 'use the name that it expects, or allow this one in its settings (allowedHosts, allowedOrigins)',
    };
  return {
    fault: 'forbidden',
    found: `it rejects every caller (status 403${said === '' ? '' : `: ${said}`})`,
    fix: 'check the rights of the token, and whether a firewall or a proxy stands in front of it',
  };
}

function errorIn(answer: RawAnswer): string {
  const [challenge] = parseChallenges(answer.header('www-authenticate') ?? '');
  const error = challenge?.params.get('error_description') ?? challenge?.params.get('error');
  return error === undefined ? '' : `: ${printable(error.slice(0, 160))}`;
}

/** Where the challenge says, else at the usual places. */
async function metadataOf(answer: RawAnswer, endpoint: CheckedEndpoint): Promise<JsonObject> {
  const named = parseChallenges(answer.header('www-authenticate') ?? '')
    .map(({ params }) => params.get('resource_metadata'))
    .find((url) => url !== undefined);
  const places = named === undefined ? resourceMetadataUrls(endpoint.url) : [named];
  for (const place of places) {
    const url = URL.canParse(place, endpoint.url) ? new URL(place, endpoint.url) : undefined;
    // A server describes itself, and cannot send the doctor elsewhere.
    if (url?.origin !== endpoint.url.origin) continue;
    const document = await endpoint.document(url).catch(() => undefined);
    const metadata = document?.status === 200 ? parseObject(document.text) : undefined;
    if (metadata !== undefined) return metadata;
  }
  throw new FatalFinding('authorization', {
    fault: 'no-resource-metadata',
    found: `it wants a token and does not say from where: no metadata at ${places.map((one) => printable(one.slice(0, 200))).join(' or ')}`,
    fix: 'have the server publish its protected resource metadata (RFC 9728), or pass --header "Authorization: Bearer …"',
  });
}

function wrongResource(resource: unknown, { href }: URL): FaultDetails {
  const named = typeof resource === 'string' ? printable(resource.slice(0, 200)) : 'nothing';
  return {
    fault: 'wrong-resource',
    found: `its metadata is about ${named}, not about ${href}`,
    fix: `have the server write "resource": "${href}" there, or use the address that it names`,
  };
}
