/** When a change of credential headers counts as a change of caller. */
import { expect, test } from 'vitest';
import type { HeaderFields } from '../../model/auth.ts';
import { RequestCredentials } from './credentials.ts';

const ada = { authorization: 'DPoP of-ada', dpop: 'proof 1' };

test.each<[string, HeaderFields, HeaderFields, boolean]>([
  ['another proof of the same token', ada, { ...ada, dpop: 'proof 2' }, false],
  ['no proof any more', ada, { authorization: 'DPoP of-ada' }, false],
  ['another token', ada, { ...ada, authorization: 'DPoP of-eve' }, true],
  ['no credentials any more', ada, undefined, true],
  ['the first credentials', undefined, ada, true],
  ['one header less', { ...ada, 'x-tenant': 'a' }, ada, true],
  ['another tenant', { ...ada, 'x-tenant': 'a' }, { ...ada, 'x-tenant': 'b' }, true],
  ['none, as before', undefined, undefined, false],
])('%s: whether the credentials count as those of another caller', async (_, before, after, isOther) => {
  const sent = [before, after];
  const auth = { headers: async () => sent.shift(), onChallenge: () => false };
  const credentials = new RequestCredentials(new URL('https://a.example/mcp'), auth);
  const { signal } = new AbortController();
  const first = await credentials.now('tools/list', signal);
  expect((await credentials.now('tools/list', signal)) !== first).toBe(isOther);
});
