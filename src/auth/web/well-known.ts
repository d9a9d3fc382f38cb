/** Well-known URLs of metadata: RFC 9728 for protected resources, RFC 8414 and OpenID Connect Discovery for authorization servers. */
export const RESOURCE_METADATA_PATH = '/.well-known/oauth-protected-resource';

/** URLs of protected resource metadata in the order to try: at the path of the endpoint, then at the root. */
export function resourceMetadataUrls({ origin, pathname, search }: URL): readonly string[] {
  const root = origin + RESOURCE_METADATA_PATH;
  return pathname === '/' && search === '' ? [root] : [root + (pathname === '/' ? '' : pathname) + search, root];
}

/** URLs of authorization server metadata in the order to try. */
export function issuerMetadataUrls(issuer: string): readonly string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  const oauth = `${origin}/.well-known/oauth-authorization-server${path}`;
  const openid = `${origin}/.well-known/openid-configuration${path}`;
  return path === '' ? [oauth, openid] : [oauth, openid, `${origin}${path}/.well-known/openid-configuration`];
}
