/** DPoP proofs: what a proof must contain, and when it is rejected. */
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { expect, test } from 'vitest';
import { verifies } from '../../../test/support/verifies.ts';
import type { AuthRequest } from '../../model/auth.ts';
import type { Clock } from '../../peer/clock.ts';
import { type VirtualClock, virtualClock } from '../../testing/virtual-clock.ts';
import { DpopProofs } from '../client/identity/dpop.ts';
import { DpopProofChecker, type ProofRules } from './dpop-proof-checker.ts';
import { type ProofLog, UsedProofs } from './used-proofs.ts';

const audience = 'https://dock.example/mcp';
const token = 'the-token';

interface Key {
  readonly jwk: JWK;
  readonly jkt: string;
  readonly privateKey: CryptoKey;
}
async function key(alg = 'ES256'): Promise<Key> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  const jwk = await exportJWK(publicKey);
  return { jwk, privateKey, jkt: await calculateJwkThumbprint(jwk) };
}

const hash = async (text: string): Promise<string> =>
  Buffer.from(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))).toString('base64url');

interface Scene {
  readonly clock: VirtualClock;
  readonly own: Key;
  /** A proof with these claims and header members in place of the right ones; undefined removes a member. */
  proof(claims?: object, header?: object, signer?: Key): Promise<string>;
  /** The error, or undefined. */
  judged(
    proof: string | undefined,
    more?: { method?: string; path?: string; token?: string },
  ): Promise<string | undefined>;
  readonly proofs: DpopProofChecker;
}

async function scene(nonces?: ProofRules['nonces'], clockSkewMs?: number): Promise<Scene> {
  const clock = virtualClock();
  const proofs = new DpopProofChecker({ audience, clock, nonces, clockSkewMs });
  const own = await key();
  return {
    clock,
    own,
    proofs,
    async proof(claims = {}, header = {}, signer = own) {
      const now = Math.floor(clock.wall() / 1000);
      const right = { jti: crypto.randomUUID(), htm: 'POST', htu: audience, iat: now, ath: await hash(token) };
      const body = Object.entries({ ...right, ...claims }).filter(([, value]) => value !== undefined);
      const head = Object.entries({ typ: 'dpop+jwt', alg: 'ES256', jwk: signer.jwk, ...header });
      return new SignJWT(Object.fromEntries(body))
        .setProtectedHeader(Object.fromEntries(head.filter(([, value]) => value !== undefined)) as { alg: string })
        .sign(signer.privateKey);
    },
    async judged(proof, { method = 'POST', path = '/mcp', token: shown = token } = {}) {
      const header = (name: string): string | undefined => (name === 'dpop' ? proof : undefined);
      const fault = await proofs.fault({ request: { method, path, header }, token: shown, jkt: own.jkt });
      return fault === undefined ? undefined : `${fault.error}: ${fault.why}`;
    },
  };
}

test('a fresh DPoP proof for this request, token and key is accepted', async () => {
  verifies('EXTAUTH-52');
  const { proof, judged } = await scene();
  expect(await judged(await proof())).toBeUndefined();
  expect(await judged(await proof({ htm: 'GET' }), { method: 'GET' })).toBeUndefined();
});

test('DPoP proofs of two keys can have the same "jti", so one client cannot use up the proofs of another', async () => {
  const { proof, proofs, own } = await scene();
  const other = await key();
  for (const signer of [own, other]) {
    const signed = await proof({ jti: 'same' }, {}, signer);
    const request: AuthRequest = { method: 'POST', path: '/mcp', header: () => signed };
    expect(await proofs.fault({ request, token, jkt: signer.jkt })).toBeUndefined();
  }
});

test.each(['ES256', 'EdDSA', 'Ed25519', 'PS256', 'RS256'])(
  'a DPoP proof that is signed by %s is accepted',
  async (alg) => {
    const own = await key(alg);
    const { proof, proofs } = await scene();
    const signed = await proof({}, { alg }, own);
    const request: AuthRequest = {
      method: 'POST',
      path: '/mcp',
      header: (name) => (name === 'dpop' ? signed : undefined),
    };
    expect(await proofs.fault({ request, token, jkt: own.jkt })).toBeUndefined();
  },
);

test.each(['https://dock.example/mcp?x=1', 'https://dock.example/mcp#x', 'HTTPS://DOCK.example:443/mcp'])(
  'a DPoP proof for %s is accepted',
  async (htu) => {
    verifies('EXTAUTH-52');
    const { proof, judged } = await scene();
    expect(await judged(await proof({ htu }))).toBeUndefined();
  },
);

test('htu of a DPoP proof can be the requested path or the public URL of the endpoint', async () => {
  const { proof, judged } = await scene();
  const sse = { path: '/sse' };
  expect(await judged(await proof({ htu: 'https://dock.example/sse' }), sse)).toBeUndefined();
  expect(await judged(await proof({ htu: audience }), sse)).toBeUndefined();
  expect(await judged(await proof({ htu: 'https://evil.example/x' }), { path: '//evil.example/x' })).toContain('"htu"');
});

test.each<[string, object, string]>([
  ['another method', { htm: 'GET' }, '"htm"'],
  ['no method', { htm: undefined }, '"htm"'],
  ['another host', { htu: 'https://evil.example/mcp' }, '"htu"'],
  ['another path', { htu: 'https://dock.example/other' }, '"htu"'],
  ['another scheme', { htu: 'http://dock.example/mcp' }, '"htu"'],
  ['no address', { htu: undefined }, '"htu"'],
  ['what is no address', { htu: '/mcp' }, '"htu"'],
  ['no name', { jti: undefined }, '"jti"'],
  ['an empty name', { jti: '' }, '"jti"'],
  ['a very long name', { jti: 'x'.repeat(257) }, '"jti"'],
  ['no time', { iat: undefined }, '"iat"'],
  ['another token', { ath: 'x' }, '"ath"'],
  ['no token', { ath: undefined }, '"ath"'],
  ['an end that was', { exp: 1 }, 'verified'],
])('a DPoP proof with %s is rejected', async (_what, claims, why) => {
  verifies('EXTAUTH-52');
  const { proof, judged } = await scene();
  expect(await judged(await proof(claims))).toMatch(/^invalid_dpop_proof/);
  expect(await judged(await proof(claims))).toContain(why);
});

test.each<[string, object]>([
  ['another type', { typ: 'JWT' }],
  ['no type', { typ: undefined }],
  ['no key', { jwk: undefined }],
])('a DPoP proof with %s is rejected', async (_what, header) => {
  verifies('EXTAUTH-52');
  const { proof, judged } = await scene();
  expect(await judged(await proof({}, header))).toContain('invalid_dpop_proof');
});

test('a DPoP proof with a symmetric or a private key in its header is rejected', async () => {
  verifies('EXTAUTH-49', 'EXTAUTH-52');
  const { proof, judged, own } = await scene();
  const jwk = await exportJWK(own.privateKey);
  expect(await judged(await proof({}, { jwk }))).toContain('invalid_dpop_proof');
  const secret = new TextEncoder().encode('a secret of thirty-two bytes ....');
  const symmetric = await new SignJWT({ jti: 'x', htm: 'POST', htu: audience, ath: await hash(token) })
    .setIssuedAt()
    .setProtectedHeader({ typ: 'dpop+jwt', alg: 'HS256', jwk: { kty: 'oct', k: 'YQ' } as JWK })
    .sign(secret);
  expect(await judged(symmetric)).toContain('invalid_dpop_proof');
});

test('a valid DPoP proof with another key is rejected', async () => {
  verifies('EXTAUTH-52');
  const { proof, judged, own } = await scene();
  const evil = await key();
  expect(await judged(await proof({}, {}, evil))).toContain('another key');
  expect(await judged(await proof({}, { jwk: own.jwk }, evil))).toContain('verified');
});

test.each(['', 'x', 'a.b.c', `${'a'.repeat(16 * 1024)}b`])(
  'the text %.10j is rejected as a DPoP proof',
  async (text) => {
    const { judged } = await scene();
    expect(await judged(text)).toContain('invalid_dpop_proof');
  },
);

test('a DPoP proof has up to 16 kB', async () => {
  const { judged } = await scene();
  expect(await judged('a'.repeat(16 * 1024))).toContain('cannot be verified');
  expect(await judged('a'.repeat(16 * 1024 + 1))).toContain('missing or too long');
});

test('a DPoP-bound token with no proof or two proofs is rejected', async () => {
  verifies('EXTAUTH-52');
  const { proof, judged } = await scene();
  expect(await judged(undefined)).toContain('proof is missing or too long');
  expect(await judged(`${await proof()}, ${await proof()}`)).toContain('invalid_dpop_proof');
});

test('a DPoP proof is valid for five minutes, either way', async () => {
  verifies('EXTAUTH-53', 'EXTAUTH-54');
  const { clock, proof, judged } = await scene();
  const now = clock.wall() / 1000;
  for (const off of [-300, 300]) expect(await judged(await proof({ iat: now + off }))).toBeUndefined();
  for (const off of [-301, 301]) expect(await judged(await proof({ iat: now + off }))).toContain('"iat"');
});

test('a DPoP proof is accepted once while it is valid', async () => {
  verifies('EXTAUTH-55');
  const { clock, proof, judged } = await scene();
  const early = await proof({ iat: clock.wall() / 1000 + 300 });
  expect(await judged(early)).toBeUndefined();
  for (let minutes = 0; minutes < 10; minutes += 2) {
    expect(await judged(early)).toContain('used before');
    await clock.advance(2 * 60_000 - 1);
  }
  await clock.advance(60_000);
  expect(await judged(early)).toContain('"iat"');
});

test('a DPoP proof cannot be replayed at another process that shares the log, and is rejected while the log is unavailable', async () => {
  const { clock, own, proof } = await scene();
  const used = new Map<string, number>();
  let isAway = false;
  const log: ProofLog = {
    async spend(id, lifeMs) {
      if (isAway) throw new Error('away');
      const isFirst = !used.has(id);
      used.set(id, lifeMs);
      return isFirst;
    },
  };
  const [one, other] = [0, 1].map(() => new DpopProofChecker({ audience, clock, nonces: undefined, log }));
  const request = (dpop: string): AuthRequest => ({ method: 'POST', path: '/mcp', header: () => dpop });
  const faultAt = async (checker: DpopProofChecker | undefined, shown: string): Promise<string | undefined> =>
    (await checker?.fault({ request: request(shown), token, jkt: own.jkt }))?.why;
  const shown = await proof();
  expect(await faultAt(one, shown)).toBeUndefined();
  expect(await faultAt(other, shown)).toContain('used before');
  // The id is a digest of fixed length. It is stored while the proof is valid, plus one hour for a clock that is behind.
  expect([...used]).toEqual([[expect.stringMatching(/^[\w-]{43}$/), 4_200_001]]);
  isAway = true;
  await expect(faultAt(other, await proof())).rejects.toThrow('away');
});

test.each([6, 59, 60])(
  'a DPoP proof is good once for all processes that share a log, also for one whose clock is %s minutes behind',
  async (behind) => {
    const MINUTE = 60_000;
    const { clock, own, proof } = await scene();
    await clock.advance(2 * behind * MINUTE);
    const log = new UsedProofs(clock);
    const late = { now: () => clock.now(), wall: () => clock.wall() - behind * MINUTE, after: clock.after };
    const signed = await proof({ iat: Math.floor(clock.wall() / 1_000) + 300 });
    const request = { method: 'POST', path: '/mcp', header: () => signed };
    const faultAt = async (at: Clock): Promise<string | undefined> =>
      (
        await new DpopProofChecker({ audience, clock: at, nonces: undefined, log }).fault({
          request,
          token,
          jkt: own.jkt,
        })
      )?.why;
    expect(await faultAt(clock)).toBeUndefined();
    const heard = new Set<string | undefined>();
    for (let minutes = 0; minutes <= behind + 12; minutes++) {
      heard.add(await faultAt(late));
      await clock.advance(MINUTE);
    }
    expect(heard).toEqual(new Set(['its "iat" is too far from the current time', 'it was used before']));
  },
);

test('a DPoP proof cannot be replayed after the clock of the process is set back by an hour', async () => {
  const { clock, own, proof } = await scene();
  await clock.advance(2 * 3_600_000);
  let setBackMs = 0;
  const adjusted = { now: () => clock.now(), wall: () => clock.wall() - setBackMs, after: clock.after };
  const checker = new DpopProofChecker({ audience, clock: adjusted, nonces: undefined });
  const signed = await proof();
  const request = { method: 'POST', path: '/mcp', header: () => signed };
  const fault = async (): Promise<string | undefined> => (await checker.fault({ request, token, jkt: own.jkt }))?.why;
  expect(await fault()).toBeUndefined();
  setBackMs = 3_600_000;
  await clock.advance(setBackMs);
  expect(await fault()).toContain('used before');
});

test('with nonces, a DPoP proof needs an unexpired nonce of this server, which stores none of them', async () => {
  verifies('EXTAUTH-56');
  const { clock, proof, judged, proofs } = await scene(true);
  expect(await judged(await proof())).toContain('use_dpop_nonce');
  const { 'DPoP-Nonce': nonce = '' } = await proofs.nonceHeader();
  expect(await judged(await proof({ nonce }))).toBeUndefined();
  await clock.advance(299_999);
  expect(await judged(await proof({ nonce }))).toBeUndefined();
  await clock.advance(1);
  expect(await judged(await proof({ nonce }))).toContain('use_dpop_nonce');
});

test.each(['', 'x', 'AAAA', 'A'.repeat(54), '*', `${'A'.repeat(10_000)}`, 7, { toString: 1, valueOf: 1 }])(
  'the DPoP nonce %.10j is rejected',
  async (nonce) => {
    const { proof, judged } = await scene(true);
    expect(await judged(await proof({ nonce }))).toContain('use_dpop_nonce');
  },
);

test('processes with the same key accept each other’s DPoP nonces, processes with another key do not', async () => {
  verifies('EXTAUTH-56');
  const shared = crypto.getRandomValues(new Uint8Array(32));
  const [one, two, other] = [await scene(shared), await scene(shared), await scene(true)];
  const { 'DPoP-Nonce': nonce = '' } = await one.proofs.nonceHeader();
  expect(await two.judged(await two.proof({ nonce }))).toBeUndefined();
  expect(await other.judged(await other.proof({ nonce }))).toContain('use_dpop_nonce');
});

test.each([
  [0, undefined, 60_000],
  [0, 10_000, 10_000],
  [1_000, 0, 0],
])(
  '%#: a DPoP nonce of a process whose clock is further ahead than the skew is rejected until that time',
  async (early, skew, allowed) => {
    const shared = crypto.getRandomValues(new Uint8Array(32));
    const [ahead, here] = [await scene(shared), await scene(shared, skew)];
    await ahead.clock.advance(early + allowed + 1);
    const { 'DPoP-Nonce': nonce = '' } = await ahead.proofs.nonceHeader();
    await here.clock.advance(early);
    expect(await here.judged(await here.proof({ nonce }))).toContain('use_dpop_nonce');
    await here.clock.advance(1);
    expect(await here.judged(await here.proof({ nonce }))).toBeUndefined();
  },
);

test('the server accepts DPoP proofs of the client', async () => {
  const clock = virtualClock();
  const proofs = new DpopProofChecker({ audience, clock, nonces: true });
  const maker = new DpopProofs(clock);
  const url = new URL(audience);
  const judged = async (): Promise<string | undefined> => {
    const proof = await maker.proof({ method: 'POST', url, accessToken: token });
    const request = { method: 'POST', path: '/mcp', header: () => proof };
    return (await proofs.fault({ request, token, jkt: await maker.thumbprint() }))?.error;
  };
  expect(await judged()).toBe('use_dpop_nonce');
  expect(maker.rememberNonce(url, (await proofs.nonceHeader())['DPoP-Nonce'])).toBe(true);
  expect(await judged()).toBeUndefined();
});
