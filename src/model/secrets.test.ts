import { expect, test } from 'vitest';
import { asksForSecret, isSecretName, MASK, Masks, maskSecrets, maskSecretsIn, maskSecretWords } from './secrets.ts';

const inMessage = { text: (text: string) => text, whole: false };
const inRecord = { text: (text: string) => text, whole: true };

test('in a message, values with the name of a secret are masked, and references to secrets are not', () => {
  const message = {
    password: 'hunter2',
    pin: 1234,
    tokens: 'seen',
    auth: ['a', 'b'],
    apiKey: `\${API_KEY}`,
    code: -32602,
  };
  expect(maskSecretsIn(message, inMessage)).toEqual({
    ...{ password: MASK, pin: MASK, tokens: 'seen', auth: [MASK, MASK], apiKey: `\${API_KEY}`, code: -32602 },
  });
  const schema = { properties: { password: { type: 'string', description: 'Yours' } } };
  expect(maskSecretsIn(schema, inMessage)).toEqual(schema);
  expect(maskSecretsIn({ auth: { password: 'x' }, secret: { deep: { token: 'y' } } }, inMessage)).toEqual({
    ...{ auth: { password: MASK }, secret: { deep: { token: MASK } } },
  });
});

test('empty values with the name of a secret, and "value" without a label, are not masked', () => {
  for (const options of [inMessage, inRecord]) {
    const plain = { password: '', token: null, value: 'x', rows: [{ value: 'y' }, { name: 7, value: 'z' }] };
    expect(maskSecretsIn(plain, options)).toEqual(plain);
  }
});

test('in a record, the values of an environment are masked, and an "env" that is not an object is not', () => {
  expect(maskSecretsIn({ env: { HOME: '/a' } }, inRecord)).toEqual({ env: { HOME: MASK } });
  for (const env of ['production', ['a'], null, 7]) expect(maskSecretsIn({ env }, inRecord)).toEqual({ env });
});

test('only a string marks the next item of a list as a secret, and only a string is masked', () => {
  const words = ['--token', 'x', '-u', 'ada:x', '-u', 'ada'];
  expect(maskSecretsIn(words, inMessage)).toEqual(['--token', MASK, '-u', MASK, '-u', 'ada']);
  expect(maskSecretsIn(['Authorization', 'x'], inMessage)).toEqual(['Authorization', MASK]);
  for (const list of [
    ['first', 'second'],
    ['Authorization', 'seen', 'Cookie'],
    ['--token', '--verbose', '--name', 'seen'],
    [['--token'], 'seen'],
    [['Authorization'], 'seen'],
    ['--token', { deep: 'seen' }],
    ['-u', null],
    ['Authorization', ['seen']],
  ])
    expect(maskSecretsIn(list, inMessage)).toEqual(list);
});

test('what is nested deeper than 32 levels is masked whole, in objects and in lists', () => {
  const nest = (levels: number, around: (inner: unknown) => unknown): unknown =>
    Array.from({ length: levels }).reduce(around, { end: 'seen' });
  for (const around of [(inner: unknown) => ({ inner }), (inner: unknown) => [inner]]) {
    expect(JSON.stringify(maskSecretsIn(nest(32, around), inMessage))).toContain('"end":"seen"');
    expect(JSON.stringify(maskSecretsIn(nest(33, around), inMessage))).toContain(`"${MASK}"`);
    expect(JSON.stringify(maskSecretsIn(nest(33, around), inMessage))).not.toContain('end');
  }
});

function masked(secrets: readonly string[], text: string): string {
  const masks = new Masks();
  for (const secret of secrets) masks.add(secret);
  return masks.mask(text);
}

test('a known secret is masked wherever it stands', () => {
  expect(masked(['hunter2'], 'hunter2, "hunter2" and xhunter2x')).toBe('[masked], "[masked]" and x[masked]x');
});

test('of secrets that contain one another, nothing of the longer one is left', () => {
  for (const secrets of [
    ['hunter', 'hunter2-and-more'],
    ['hunter2-and-more', 'hunter'],
  ])
    expect(masked(secrets, 'hunter2-and-more or hunter')).toBe('[masked] or [masked]');
});

test('each line of a secret is one, from six characters on', () => {
  expect(masked(['  first-line\r\nsecond-line\nshort\nsix-ok'], 'first-line second-line short six-ok')).toBe(
    '[masked] [masked] short [masked]',
  );
});

const secretNames = [
  ...[
    'password',
    'passPhrase',
    'db_passwd',
    'passcode',
    'clientSecret',
    'AWS_CREDENTIALS',
    'apiKey',
    'api-key',
    'X-API-Key',
  ],
  ...[
    'access_key',
    'privateKey',
    'signing.key',
    'Authorization',
    'authorisation',
    'Set-Cookie',
    'pwd',
    'pin',
    'otp',
    'cvv',
  ],
  ...[
    'cvc',
    'auth',
    'jwt',
    'sig',
    'signature',
    'session',
    'sid',
    'hostKey',
    'code',
    'assertion',
    'accessToken',
    'session_id',
  ],
  ...['sessionId', 'code_verifier', 'codeVerifier', 'myPageToken', 'pageTokenSecret'],
];

test.each(secretNames)('a value called %s is a secret', (name) => {
  expect(isSecretName(name)).toBe(true);
});

test.each([
  ...[
    'name',
    'maxTokens',
    'tokens',
    'keyboard',
    'monkey',
    'keys',
    'passenger',
    'opinion',
    'author',
    'sessions',
    'codec',
  ],
  ...['progressToken', 'nextPageToken', 'next_page_token', 'pageToken', 'continuationToken', 'cancellation-token'],
])('a value called %s is no secret', (name) => {
  expect(isSecretName(name)).toBe(false);
});

test.each([
  ...[
    'Your password',
    'Passwort',
    'Kennwort',
    'Mot de passe',
    'Contraseña',
    'PWD',
    'Your PIN.',
    'OTP',
    'CVV',
    'CVC',
    'SSN',
  ],
  ...[
    'IBAN',
    'API token',
    'Two tokens',
    'Seed phrase',
    'Recovery code',
    'recovery phrase',
    'Credit card',
    'debit-card',
  ],
  ...['Card number', 'Social security number', 'One-time code', 'Verification code', 'Client secret', 'Credentials'],
  ...['API key', 'apiKey', 'access_key', 'private key', 'signing key', 'Passphrase', 'passcode', 'passwd'],
])('a form does not ask for this: %s', (label) => {
  expect(asksForSecret(label)).toBe(true);
});

test.each(['Your name', 'Opinion', 'Tokenizer', 'Key', 'Code', 'Session', 'Spin', 'Card'])(
  'a form can ask for this: %s',
  (label) => {
    expect(asksForSecret(label)).toBe(false);
  },
);

/** The secret is between « and ». The texts are assembled here, so that no secret scanner reports them. */
const secretTexts = [
  ...['Bearer', 'Basic', 'DPoP', 'Digest', 'Negotiate', 'Token'].map((scheme) => `Authorization: ${scheme} «x7»`),
  ...['proxy-authorization:«x7»', 'AUTHORIZATION : «x7»', 'cookie: «a=b; c=d»', 'Set-Cookie: «a=b; Path=/»'],
  ...['Bearer', 'Basic', 'DPoP', 'Digest', 'Negotiate'].map((scheme) => `it sent ${scheme} «abcd1234»`),
  ...[
    'redis://«:hunter2»@host/0',
    'https://«ada:hunter2»@host',
    'git+ssh://«ada»@host',
    'HTTPS://«ada»@host',
    'a bearer «abcd1234»',
  ],
  ...['a «eyJabcdefgh.ijklmnop»', 'a «eyJabcdefgh.ijklmnop.qrst»', 'a «eyJabcdefgh.ijklmnop.»'],
  ...['sk', 'pk', 'rk'].flatMap((kind) => [`«${kind}-${'x'.repeat(16)}»`, `«${kind}_${'x'.repeat(16)}»`]),
  ...['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', 'github_pat_', 'glpat-', 'AKIA', 'ASIA', 'AIza', 'ya29.'].map(
    (start) => `a «${start}${'0'.repeat(10)}»`,
  ),
  ...['xoxa-', 'xoxb-', 'xoxe-', 'xoxp-', 'xoxr-', 'xoxs-', 'npm_', 'hf_', 'dop_v1_', 'shpat_', 'SG.'].map(
    (start) => `a «${start}${'0'.repeat(10)}»`,
  ),
  ...['a «-----BEGIN PRIVATE KEY-----\nx\n-----END PRIVATE KEY-----» b', 'a «-----BEGIN EC PRIVATE KEY-----\nx»'],
  ...['curl -u ada:«hunter2»', 'curl -Uada:«hunter2»', '-u "ada:«hunter2»"', 'curl --user ada:«hunter2» x'],
  ...['curl --proxy-user=ada:«hunter2»', '/?token=«x»&a=b', '/#access_token=«x»', 'a;sid=«x»', 'run --token «x» b'],
  ...['url=https://a.example/b?token=«x»&c=d', '--url=https://a.example?a=b&token=«x»', 'token=«a?b=c»'],
  ...['run --api-key «"x y"» b', 'run -pwd «x»', 'Password: «hunter2»', 'my api-key: "«x»"', 'The token : «x», a'],
  ...['passphrase: «x»', 'passwd: «x»', 'passcode: «x»', 'client_secret: «x»', '{"password": "«x»", "a": "b"}'],
  ...[
    `token=«x\${A}»`,
    `Password: «\${A}x»`,
    `{"password": "«x\${A}»"}`,
    `{"password": "«\${A}x»"}`,
    "{'password': '«x»'}",
  ],
];

test.each(secretTexts)('what looks like a secret is masked: %s', (text) => {
  expect(maskSecrets(text.replace(/[«»]/g, ''))).toBe(text.replace(/«.*»/s, MASK));
});

test.each([
  ...['Bearer realm="x"', 'https://host/a@b', 'mailto:ada@host', 'token-based', 'sk-short'],
  ...['ghp_short', '-----BEGIN PUBLIC KEY-----\nx', 'curl -u ada', 'a -u', `token=\${TOKEN}`, `Password: \${PASSWORD}`],
  ...['run --token --verbose', 'max_tokens=5', 'the code: 7', 'eyJ.x.y'],
])('a text that only resembles a secret is not masked: %s', (text) => {
  expect(maskSecrets(text)).toBe(text);
});

test('in JSON inside of text, a number with the name of a secret is masked, and no other value without quotes', () => {
  expect(maskSecrets('{"pin": -12.5e3, "a": 1}')).toBe(`{"pin": "${MASK}", "a": 1}`);
  expect(maskSecrets('{"pin": null, "token": [1]}')).toBe('{"pin": null, "token": [1]}');
});

test.each([
  'authorization',
  'Proxy-Authorization',
  'cookie',
  'Set-Cookie',
  'X-Api-Key',
  '-u',
  '-U',
  '--user',
  '--proxy-user',
])('the word after %s is masked', (before) => {
  expect(maskSecretsIn([before, 'ada:x'], inMessage)).toEqual([before, MASK]);
});

test.each(['name', 'key', 'header', 'field'])('the label of a value can be its %s', (label) => {
  const pair = { [label]: 'Authorization', value: 'x' };
  expect(maskSecretsIn(pair, inMessage)).toEqual({ ...pair, value: MASK });
});

test.each([
  ['accept', 'text/html'],
  ['x-authorization', 'x'],
  ['cookies', 'x'],
  ['--users', 'ada:x'],
  ['--username', 'ada:x'],
])('the word after %s is shown', (before, word) => {
  expect(maskSecretsIn([before, word], inMessage)).toEqual([before, word]);
});

test.each([
  ['a --token abc123 b', 'a --token [masked] b'],
  ['k=1 token=abc&key=x/y+z= end', 'k=1 token=[masked]&key=[masked] end'],
  ['token=a', 'token=[masked]'],
  ['nothing', 'nothing'],
  ['[masked] token=abc', '[masked] token=abc'],
  ['token=$(curl$IFS.x)', 'token=$(curl$IFS.x)'],
  ['token=abc cookie: a; curl x', 'token=abc cookie: a; curl x'],
  ['token=./x', 'token=./x'],
  ['token=~x', 'token=~x'],
  [`token=${'a'.repeat(513)}`, `token=${'a'.repeat(513)}`],
])('in a question, %s is shown as %s', (text, shown) => {
  expect(maskSecretWords(text)).toBe(shown);
});

test('in a question, the value of a named member is masked if it is one word', () => {
  const asked = { code: 'print(1)', password: 'hunter2', list: ['--token', 'a b', '--token', 'ab'] };
  expect(maskSecretsIn(asked, { text: maskSecretWords, whole: false, words: true })).toEqual({
    ...{ code: 'print(1)', password: '[masked]', list: ['--token', 'a b', '--token', '[masked]'] },
  });
});
