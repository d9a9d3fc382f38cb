/** Where the metadata of an authorization server may be, in the order to ask: RFC 8414, then OpenID Connect Discovery. */
export function metadataUrls(issuer: string): readonly string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  const oauth = `${origin}/.well-known/oauth-authorization-server${path}`;
  const openid = `${origin}/.well-known/openid-configuration${path}`;
  return path === '' ? [oauth, openid] : [oauth, openid, `${origin}${path}/.well-known/openid-configuration`];
}
