/** `oauth()` and servers on `http:` outside of loopback, where every machine on the way could read a token. */
import { expect, test } from 'vitest';
import { OAuthWorld } from '../../../../test/support/oauth-world.ts';
import { verifies } from '../../../../test/support/verifies.ts';
import type { ChallengedRequest } from '../../../model/auth.ts';
import { oauth } from './oauth.ts';

function meet(endpoint: string) {
  const world = new OAuthWorld();
  const url = new URL(endpoint);
  const auth = oauth({ signIn: world.signIn, fetch: world.fetch })(url);
  const challenge = async (more: Partial<ChallengedRequest> = {}): Promise<boolean> =>
    auth.onChallenge(world.refusal('Bearer', { url, ...more }));
  return { world, auth, challenge, request: { ...world.request, url } };
}

test.each(['http://mcp.example/mcp', 'http://10.0.0.1/mcp'])(
  'oauth() sends no token to %s, and gets none when the server asks for it',
  async (endpoint) => {
    verifies('AUTH-101');
    const { world, auth, challenge, request } = meet(endpoint);
    expect(await auth.headers(request)).toBeUndefined();
    await expect(challenge()).rejects.toMatchObject({ code: 'MCP_AUTH_BLOCKED' });
    expect([world.shown, world.visits]).toEqual([[], []]);
  },
);

test('a server on http: that forbids a request is reported as that, and not as one that asks for a token', async () => {
  expect(await meet('http://mcp.example/mcp').challenge({ status: 403 })).toBe(false);
});
