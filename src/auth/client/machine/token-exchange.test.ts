/** tokenExchange(): a service that acts on behalf of its caller. */
import { describe, expect, test } from 'vitest';
import { HeldClock } from '../../../../test/support/held-clock.ts';
import type { OutgoingRequest } from '../../../model/auth.ts';
import { tokenExchange } from './token-exchange.ts';

const endpoint = new URL('https://shop.example/mcp#top');
const outgoing = (url = endpoint): OutgoingRequest => ({
  method: 'POST',
  url,
  operation: 'tools/call',
  signal: new AbortController().signal,
});

function exchangeEndpoint(answer: (count: number) => Response) {
  const forms: Record<string, string>[] = [];
  const headers: Headers[] = [];
  const fetch = async (_: URL, init: RequestInit): Promise<Response> => {
    forms.push(Object.fromEntries(new URLSearchParams(String(init.body))));
    headers.push(new Headers(init.headers));
    return answer(forms.length);
  };
  return { fetch, forms, headers };
}
const issued = (count: number, more: object = {}): Response =>
  Response.json({ access_token: `for-shop-${count}`, token_type: 'Bearer', expires_in: 300, ...more });

describe('a service that acts for its caller', () => {
  const options = { tokenEndpoint: 'https://id.example/token', client: { id: 'gateway', secret: 'hush' } };

  test('tokenExchange() exchanges the caller’s token for one for the server, before the first request', async () => {
    const { fetch, forms, headers } = exchangeEndpoint(issued);
    const exchange = tokenExchange({
      ...options,
      fetch,
      audience: 'shop',
      scopes: ['a', 'b'],
      subjectToken: () => 'of-ada',
    });
    const auth = exchange(endpoint);
    const sent = await Promise.all([auth.headers(outgoing()), auth.headers(outgoing())]);
    expect(sent).toEqual([{ authorization: 'Bearer for-shop-1' }, { authorization: 'Bearer for-shop-1' }]);
    expect(forms).toEqual([
      {
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        subject_token: 'of-ada',
        subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
        requested_token_type: 'urn:ietf:params:oauth:token-type:access_token',
        resource: 'https://shop.example/mcp',
        audience: 'shop',
        scope: 'a b',
      },
    ]);
    expect(headers[0]?.get('authorization')).toMatch(/^Basic /);
  });

  test('tokenExchange() sends the token to its endpoint only, and renews it 30 s before it expires', async () => {
    const clock = new HeldClock();
    const { fetch, forms } = exchangeEndpoint(issued);
    const auth = tokenExchange({ ...options, fetch, clock, subjectToken: () => 'of-ada' })(endpoint);
    expect(await auth.headers(outgoing(new URL('https://other.example/mcp')))).toBeUndefined();
    await auth.headers(outgoing());
    await clock.pass(269_000);
    expect(await auth.headers(outgoing())).toEqual({ authorization: 'Bearer for-shop-1' });
    await clock.pass(2_000);
    expect(await auth.headers(outgoing())).toEqual({ authorization: 'Bearer for-shop-2' });
    expect(forms).toHaveLength(2);
  });

  test('tokenExchange() renews once after a 401, and not a token that was just issued', async () => {
    const clock = new HeldClock();
    const { fetch, forms } = exchangeEndpoint(issued);
    const auth = tokenExchange({ ...options, fetch, clock, subjectToken: () => 'of-ada' })(endpoint);
    const sent = await auth.headers(outgoing());
    const challenged = { ...outgoing(), status: 401, header: () => undefined, sent, revision: undefined };
    await expect(auth.onChallenge(challenged)).rejects.toThrow('rejects the token that was just issued');
    await clock.pass(61_000);
    expect(await auth.onChallenge({ ...challenged, url: new URL('https://other.example/mcp') })).toBe(false);
    expect(await auth.onChallenge(challenged)).toBe(true);
    expect(await auth.onChallenge(challenged)).toBe(true);
    expect(forms).toHaveLength(2);
    expect(await auth.onChallenge({ ...challenged, status: 403 })).toBe(false);
  });

  test('tokenExchange() uses a valid token while the authorization server is unreachable', async () => {
    const clock = new HeldClock();
    const { fetch, forms } = exchangeEndpoint((count) =>
      count === 1 ? issued(1) : new Response(null, { status: 503 }),
    );
    const auth = tokenExchange({ ...options, fetch, clock, subjectToken: () => 'of-ada' })(endpoint);
    const first = await auth.headers(outgoing());
    await clock.pass(280_000);
    expect([await auth.headers(outgoing()), await auth.headers(outgoing())]).toEqual([first, first]);
    expect(forms).toHaveLength(2);
    await clock.pass(20_000);
    await expect(Promise.resolve(auth.headers(outgoing()))).rejects.toMatchObject({ code: 'MCP_AUTH_FAILED' });
  });

  test('tokenExchange() requests the scopes of the application only, whatever the server asks for', async () => {
    const clock = new HeldClock();
    const { fetch, forms } = exchangeEndpoint((count) => issued(count, { scope: 'a admin' }));
    const auth = tokenExchange({ ...options, fetch, clock, scopes: ['a'], subjectToken: async () => 'of-ada' })(
      endpoint,
    );
    const sent = await auth.headers(outgoing());
    await clock.pass(61_000);
    const wants = (challenge: string, status: number) => ({
      ...{ ...outgoing(), status, sent, revision: undefined },
      header: (name: string) => (name === 'www-authenticate' ? challenge : undefined),
    });
    expect(await auth.onChallenge(wants('Bearer error="insufficient_scope", scope="admin"', 403))).toBe(false);
    expect(await auth.onChallenge(wants('Bearer error="invalid_token", scope="admin"', 401))).toBe(true);
    expect(forms.map(({ scope, subject_token, audience }) => [scope, subject_token, audience])).toEqual([
      ['a', 'of-ada', undefined],
      ['a', 'of-ada', undefined],
    ]);
  });

  test('tokenExchange() reports why the exchange failed, without the tokens', async () => {
    const { fetch } = exchangeEndpoint(() =>
      Response.json({ error: 'invalid_target', error_description: 'of-ada is not for shop' }, { status: 400 }),
    );
    const auth = tokenExchange({ ...options, fetch, subjectToken: () => 'of-ada' })(endpoint);
    const failed = await Promise.resolve(auth.headers(outgoing())).catch((thrown: unknown) => String(thrown));
    expect(failed).toContain('invalid_target (… is not for shop)');
    expect(failed).not.toContain('of-ada');
  });

  test('tokenExchange() requires https, and the URL of a token endpoint', () => {
    const auth = tokenExchange({ ...options, subjectToken: () => 'of-ada' });
    expect(() => auth(new URL('http://shop.example/mcp'))).toThrow('https: only');
    expect(() => tokenExchange({ ...options, tokenEndpoint: 'id.example', subjectToken: () => '' })).toThrow(
      'token endpoint',
    );
  });
});
