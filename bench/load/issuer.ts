/** Signs a token as an authorization server does, and returns the keys that verify it. */
export const ISSUER = 'https://login.example';
export const AUDIENCE = 'https://gateway.example/mcp';

/** Both are strings, so that they can be passed to a process. */
export async function issueToken(): Promise<{ readonly token: string; readonly jwks: string }> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256' };
  const { privateKey, publicKey } = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const exp = Math.floor(Date.now() / 1_000) + 86_400;
  const head = encode({ alg: 'ES256', typ: 'at+jwt', kid: 'bench' });
  const body = encode({ iss: ISSUER, aud: AUDIENCE, sub: 'caller', client_id: 'bench', scope: '', exp });
  const signed = Buffer.from(`${head}.${body}`);
  const signature = await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, privateKey, signed);
  const key = { ...(await crypto.subtle.exportKey('jwk', publicKey)), kid: 'bench', alg: 'ES256', use: 'sig' };
  return {
    token: `${head}.${body}.${Buffer.from(signature).toString('base64url')}`,
    jwks: JSON.stringify({ keys: [key] }),
  };
}

const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');
