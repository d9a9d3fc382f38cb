/** Duties of authorization servers, their operators and authors of clients, which the documentation must name. */
import { expect, test } from 'vitest';
import { codeOf, importsOf, sourceFiles, textOf } from '../support/source.ts';
import { verifies } from '../support/verifies.ts';

/** The list items of the page, by id. */
const duties = new Map(
  textOf('docs/reference/authorization-duties.md')
    .split(/^(?:- |## )/m)
    .flatMap((item) => {
      const flat = item.replace(/\s+/g, ' ');
      const ids = /\(([A-Z]+-\d+(?:, [A-Z]+-\d+)*)\)/.exec(flat)?.[1]?.split(', ') ?? [];
      return ids.map((id): [string, string] => [id, flat]);
    }),
);

/** Fails if the page lacks a text under an id. */
function tells(told: Readonly<Record<string, string>>): void {
  for (const [id, words] of Object.entries(told)) expect(duties.get(id) ?? '', id).toContain(words);
}

test('tells what an authorization server must do', () => {
  verifies('AUTH-006', 'AUTH-016', 'AUTH-033', 'AUTH-035', 'AUTH-075', 'AUTH-076');
  verifies('AUTH-020', 'AUTH-103', 'AUTH-104', 'AUTH-105', 'AUTH-110');
  tells({
    'AUTH-020': 'How long a token lasts, and what replaces it, is decided there',
    'AUTH-006': 'implements OAuth 2.1, for clients that can keep a secret and for those that cannot',
    'AUTH-016': 'the authorization code for people, client credentials for machines',
    'AUTH-033': 'look for RFC 8414 only, so have both',
    'AUTH-035': 'by RFC 8414 or by OpenID Connect Discovery',
    'AUTH-075': 'say whom they are from (`iss`), errors too',
    'AUTH-076': '`authorization_response_iss_parameter_supported`',
    'AUTH-103': 'Access tokens are short-lived',
    'AUTH-104': 'Refresh tokens of clients without a secret are good for one use',
    'AUTH-105': 'Every endpoint is `https:`',
    'AUTH-110': "names S256, in OpenID Connect's metadata too",
  });
});

test('tells whom it may send where, and what it must fetch with care', () => {
  verifies('AUTH-021', 'AUTH-112', 'AUTH-114', 'AUTH-115', 'AUTH-117', 'AUTH-118');
  verifies('AUTH-048', 'AUTH-049', 'AUTH-116', 'SEC-023', 'AUTH-010');
  tells({
    'AUTH-021': 'users are sent to no other',
    'AUTH-112': 'compared exactly with those that were registered',
    'AUTH-114': 'users are sent to no other, not even with an error',
    'AUTH-115': 'Users are not sent on without a click, unless the address is one that you trust',
    'AUTH-117': 'warns when that is only their own machine',
    'AUTH-118': 'shows the host that the user will be sent to',
    'AUTH-048': 'is fetched, and kept for as long as its HTTP headers allow',
    'AUTH-049': 'must be JSON with `client_id`, `client_name` and `redirect_uris`',
    'AUTH-116': 'A program that fetches URLs for strangers can be sent anywhere',
    'SEC-023': 'guards against that as [our client does](oauth-web.md)',
    'AUTH-010': 'answers at `/authorize`, `/token` and `/register` of its origin',
  });
});

test('tells what to mind in front of another authorization server', () => {
  verifies('AUTH-022', 'AUTH-023', 'AUTH-119', 'SEC-005', 'SEC-006', 'SEC-007', 'SEC-008', 'SEC-009');
  verifies('SEC-010', 'SEC-011', 'SEC-012', 'SEC-013', 'SEC-014', 'SEC-015');
  tells({
    'AUTH-022': "ask whether the third party's is still good before you accept yours, and renew or end both",
    'AUTH-023': 'when the third party fails, when a session ends, and when one token is exchanged for the next',
    'AUTH-119': 'for each client that registered with you',
    'SEC-005': 'Ask the user for consent before you send them on',
    'SEC-006': 'Remember who agreed to which `client_id`',
    'SEC-007': 'on your side or in a cookie of your own',
    'SEC-008': 'names the client, the scopes at the third party, and the redirect URI that was registered',
    'SEC-009': "cannot be framed (`frame-ancestors 'none'`) nor submitted from another page",
    'SEC-010': 'are called `__Host-…`, are `Secure`, `HttpOnly` and `SameSite=Lax`',
    'SEC-011': 'are signed, or name a session on your side; they are good for one `client_id`',
    'SEC-012': 'compared as a string. A client that changes it registers again',
    'SEC-013': 'a `state` from a secure random source',
    'SEC-014': 'stored when the user has agreed, not before',
    'SEC-015': 'good for one use, for about ten minutes, and must come back exactly',
  });
});

test('the guide names the duties of authors of clients', () => {
  verifies('AUTH-005', 'AUTH-044', 'AUTH-045', 'AUTH-046');
  verifies('EXTAUTH-35', 'EXTAUTH-36', 'EXTAUTH-38', 'EXTAUTH-71');
  verifies('EXTAUTH-32', 'EXTAUTH-33', 'EXTAUTH-61');
  tells({
    'AUTH-005': 'protects its peers the way its protocol does',
    'AUTH-044': 'at an `https:` URL with a path',
    'AUTH-045': 'names `client_id`, `client_name` and `redirect_uris`',
    'AUTH-046': 'its `client_id` is that URL, to the letter',
    'EXTAUTH-35': 'A program that you hand out holds no secret',
    'EXTAUTH-36': 'Prefer `privateKey` to `secret`',
    'EXTAUTH-38': 'a new key or secret now and then, and be able to revoke one at once',
    'EXTAUTH-71': 'valid for minutes, and lies in a file that only the workload can read',
    'EXTAUTH-61': 'signed, and has `iss`, `sub`, `exp`, `iat` and `jti`; its `aud` is the authorization server',
    'EXTAUTH-32': 'send `state`, a `nonce` and an S256 challenge with it',
    'EXTAUTH-33': 'look at nothing that comes back before its `state` was found to be the one you sent',
  });
});

test('tells what the extensions ask of an authorization server', () => {
  verifies('AUTH-121', 'AUTH-124', 'EXTAUTH-4', 'EXTAUTH-14', 'EXTAUTH-16', 'EXTAUTH-17', 'EXTAUTH-18', 'EXTAUTH-19');
  verifies('EXTAUTH-20', 'EXTAUTH-21', 'EXTAUTH-22', 'EXTAUTH-23', 'EXTAUTH-24', 'EXTAUTH-25', 'EXTAUTH-26');
  verifies('EXTAUTH-27', 'EXTAUTH-28', 'EXTAUTH-40', 'EXTAUTH-41', 'EXTAUTH-42', 'EXTAUTH-43', 'EXTAUTH-44');
  verifies('EXTAUTH-57', 'EXTAUTH-58', 'EXTAUTH-59', 'EXTAUTH-64', 'EXTAUTH-65', 'EXTAUTH-66', 'EXTAUTH-67');
  verifies('EXTAUTH-68', 'EXTAUTH-69', 'EXTAUTH-70');
  tells({
    'AUTH-121': '`private_key_jwt` or `client_secret_basic`',
    'AUTH-124': 'the type `oauth-id-jag+jwt`',
    'EXTAUTH-4': 'and the algorithms of signatures with the former',
    'EXTAUTH-14': 'the token is good there and nowhere else',
    'EXTAUTH-16': 'checks the signature with a key of that identity provider',
    'EXTAUTH-17': 'by an algorithm from a list that does not have `none`',
    'EXTAUTH-18': '`iss`, `sub`, `iat` and `exp`',
    'EXTAUTH-19': '`aud` is its own issuer',
    'EXTAUTH-20': '`resource` is a server that it knows',
    'EXTAUTH-21': 'nor one that the resource does not have',
    'EXTAUTH-22': 'what does not fit is `invalid_grant`',
    'EXTAUTH-23': '`client_id` the client that asks',
    'EXTAUTH-24': 'takes each `jti` once',
    'EXTAUTH-25': 'Assertions are short-lived',
    'EXTAUTH-26': 'grants no scope that the assertion does not have',
    'EXTAUTH-27': 'fetched over TLS',
    'EXTAUTH-28': 'new keys never make room for weaker ones',
    'EXTAUTH-40': 'a list of which audience goes with which resource',
    'EXTAUTH-41': 'grants scopes by role, client and policy, and asks again for the dangerous ones',
    'EXTAUTH-42': 'also when a scope comes to cover a new dangerous tool',
    'EXTAUTH-43': 'say no more than they must',
    'EXTAUTH-44': 'encrypted to the authorization server if the client is not to read them',
    'EXTAUTH-57': '`dpop_signing_alg_values_supported`, without `none`',
    'EXTAUTH-58': '`dpop_bound_access_tokens` get no token without a proof',
    'EXTAUTH-59': 'in `cnf.jkt`, and its type is `DPoP`',
    'EXTAUTH-64': 'issuers that were configured, and of no others',
    'EXTAUTH-65': 'fetches their keys over `https:`, as a JWK set',
    'EXTAUTH-66': 'rules for each workload',
    'EXTAUTH-67': '`urn:ietf:params:oauth:grant-type:jwt-bearer`',
    'EXTAUTH-68': 'with a limit on time and rate, keeps them, and notices when they change',
    'EXTAUTH-69': 'copies no claim into a token unchecked, and relies on none that a tenant can set',
    'EXTAUTH-70': 'writes down every token that it issues',
  });
});

test('names no duty that this file does not check', () => {
  const checked = textOf('test/arch/auth-duties.test.ts');
  expect([...duties.keys()].filter((id) => !checked.includes(`    '${id}': `))).toEqual([]);
});

test('no program is started to open an address, and applications are told to start one without a shell', () => {
  verifies('SEC-040', 'SEC-041');
  const files = sourceFiles().filter((file) => /^src\/(?:auth|client|connect)\//.test(file));
  const starts = files.filter((file) => importsOf(file).some(({ to }) => /child_process|cross-spawn/.test(to)));
  expect(starts).toEqual([]);
  const page = textOf('docs/guide/sign-in.md').replace(/\s+/g, ' ');
  expect(page).toContain('execFile(...browserCommand(address))');
  expect(page).toContain('Never let a shell read it: no `exec`, no `cmd /c start`, no PowerShell, no `shell: true`');
  // The page quotes the example, which is run.
  const [, opener = ''] = /#region open\n([\s\S]*?)#endregion/.exec(textOf('examples/sign-in.ts')) ?? [];
  for (const program of ["['open', [address]]", "['rundll32', [", "['xdg-open', [address]]"])
    expect(opener).toContain(program);
  expect(opener).not.toMatch(/\bexec\(|\bspawn\(|shell:|cmd|powershell/i);
  expect(codeOf('examples/sign-in.ts')).not.toMatch(/shell:/);
});
