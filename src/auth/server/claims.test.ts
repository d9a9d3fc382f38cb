/** Claims are checked whichever verifier returned them, so an application's verifier need not check time and audience. */
import { expect, test, vi } from 'vitest';
import { virtualClock } from '../../testing/virtual-clock.ts';
import { bearer } from './bearer.ts';
import { claimsFault } from './claims.ts';

const clock = virtualClock();
const now = clock.wall() / 1000;
const [audience, issuer] = ['https://dock.example/mcp', 'https://id.example'];

const faultOf = (claims: object): string | undefined =>
  claimsFault(
    { iss: issuer, aud: audience, sub: 'ada', ...claims },
    { audience, issuers: [issuer], clock, clockSkewMs: 60_000 },
  );

test.each([
  {},
  { exp: now + 1, nbf: now - 1 },
  { exp: now - 59 },
  { nbf: now + 60 },
  { aud: ['https://other.example', audience] },
  { aud: 'HTTPS://Dock.example/mcp' },
  { sub: null, client_id: 'cli' },
])('a token with %j is accepted', (claims) => {
  expect(faultOf(claims)).toBeUndefined();
});

test.each<[object, string]>([
  [{ exp: now - 60 }, 'it has expired'],
  [{ exp: String(now + 60) }, 'it has expired'],
  [{ exp: null }, 'it has expired'],
  [{ exp: clock.wall() + 60_000 }, 'its "exp" is in milliseconds, not in seconds'],
  [{ nbf: now + 61 }, 'it is not valid yet'],
  [{ nbf: String(now - 60) }, 'it is not valid yet'],
  [{ nbf: null }, 'it is not valid yet'],
  [{ iss: undefined }, `its issuer is not named, and only ${issuer} is trusted here`],
  [{ iss: `${issuer}/` }, `its issuer is "${issuer}/", and only ${issuer} is trusted here`],
  [{ iss: [issuer] }, `its issuer is ["${issuer}"], and only ${issuer} is trusted here`],
  [{ aud: undefined }, `its audience is not named, not ${audience}`],
  [{ sub: 42, client_id: 'cli' }, 'its subject is 42, which is not a string'],
  [{ sub: ['ada'], client_id: 'cli' }, 'its subject is ["ada"], which is not a string'],
  [{ sub: { id: 'ada' }, client_id: 'cli' }, 'its subject is {"id":"ada"}, which is not a string'],
  [{ aud: [[audience]] }, `its audience is [["${audience}"]], not ${audience}`],
])('a token with %j is rejected: %s', (claims, why) => {
  expect(faultOf(claims)).toBe(why);
});

test.each<[unknown, string | undefined]>([
  [{ subject: 'ada', scopes: [] }, 'claims without "iss" and "aud" and "sub"'],
  [{ sub: 'ada' }, 'claims without "iss" and "aud"'],
  [{ iss: issuer, aud: audience }, 'claims without "sub"'],
  [{ iss: issuer, aud: audience, sub: 'ada', exp: clock.wall() + 60_000 }, 'an "exp" in milliseconds'],
  ['ada', 'text'],
  [true, 'true'],
  [undefined, undefined],
  [null, undefined],
  [{ iss: issuer, aud: audience, sub: 'ada', exp: now - 60 }, undefined],
  [{ iss: 'https://evil.example', aud: audience, client_id: 'cli' }, undefined],
])('a verifier that returns %j: the warning without onRejected names %j, once', async (result, mistake) => {
  const emitted = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  try {
    const verify = (): never => result as never; // the compiler would report most of them
    const authenticate = bearer({ audience, authorizationServers: [issuer], clock, verify });
    const header = (): string => 'Bearer the-token';
    for (const path of ['/mcp', '/mcp'])
      expect(await authenticate({ method: 'POST', path, header })).toMatchObject({ status: 401 });
    const expected = `"verify" of bearer() returned ${mistake}, and callers get 401. Return the claims of a JWT: { iss, aud, sub, scope, exp }, with "exp" in seconds`;
    expect(emitted.mock.calls.map(([warning]) => warning)).toEqual(mistake === undefined ? [] : [expected]);
  } finally {
    emitted.mockRestore();
  }
});
