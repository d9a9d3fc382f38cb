/** Encryption of credentials: round trip, and rejection of changed files. */
import { randomBytes } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { verifies } from '../../../../test/support/verifies.ts';
import { deriveKey, readSalt, SALT_BYTES, seal, unseal } from './file-credentials-seal-node.ts';

const path = '/home/ada/credentials';
const kept = new Map([
  ['https://auth.example', 'refresh-token'],
  ['__proto__', 'Grüße 🙂'],
]);
const salt = randomBytes(SALT_BYTES);
let key: Buffer;

beforeAll(async () => {
  key = await deriveKey(new Uint8Array(32).fill(7), salt);
});

/** The text with one member changed. */
function changed(member: string, change: (value: string) => string): string {
  const sealed = JSON.parse(seal({ key, salt }, kept)) as Record<string, string>; // just written
  return JSON.stringify({ ...sealed, [member]: change(sealed[member] ?? '') });
}

test('unseal() decrypts what seal() encrypted', () => {
  const text = seal({ key, salt }, kept);
  expect(readSalt(text, path)).toEqual(salt);
  expect(unseal(key, text, path)).toEqual(kept);
});

test('the sealed text does not contain the secrets, and differs each time', () => {
  verifies('AUTH-096', 'AUTH-102');
  const [first, second] = [seal({ key, salt }, kept), seal({ key, salt }, kept)];
  const { data } = JSON.parse(first) as { data: string }; // just written
  for (const text of ['refresh-token', 'auth.example']) {
    expect(first).not.toContain(text);
    expect(Buffer.from(data, 'base64').toString('latin1')).not.toContain(text);
  }
  expect(first).not.toBe(second);
});

test('deriveKey() returns a different key for another passphrase, other bytes, or another salt', async () => {
  const bytes = Buffer.from('correct horse battery staple!!!!');
  const keys = await Promise.all([
    deriveKey(bytes, salt),
    deriveKey(new Uint8Array(32), salt),
    deriveKey(bytes, randomBytes(SALT_BYTES)),
    deriveKey(bytes.toString(), salt),
    deriveKey('correct horse battery staple', salt),
  ]);
  expect(new Set(keys.map((made) => made.toString('hex'))).size).toBe(5);
  expect(keys.map(({ length }) => length)).toEqual([32, 32, 32, 32, 32]);
  expect(await deriveKey(bytes, salt)).toEqual(keys[0]);
});

test('a passphrase derives the same key as in earlier versions, with slow scrypt parameters', async () => {
  // scrypt with N = 32768, r = 8 and p = 3: files that were written with it must stay readable.
  const made = await deriveKey('correct horse battery staple', Buffer.alloc(SALT_BYTES, 7));
  expect(made.toString('hex')).toBe('d1ad89695c03b01d319e5f5a5abfba6facdbf11b180ecb0c2db024d02fcbc7cc');
});

test.each([
  ['another key', 'data', (text: string) => text],
  ['changed data', 'data', (text: string) => `${text.startsWith('A') ? 'B' : 'A'}${text.slice(1)}`],
  ['a changed tag', 'data', (text: string) => text.slice(0, -8)],
  ['no data', 'data', () => ''],
  ['a changed nonce', 'nonce', () => randomBytes(12).toString('base64')],
  ['no nonce', 'nonce', () => ''],
  ['the salt of another file', 'salt', () => randomBytes(16).toString('base64')],
])('unseal() fails with %s', (what, member, change) => {
  const other = what === 'another key' ? randomBytes(32) : key;
  expect(() => unseal(other, changed(member, change), path)).toThrow(
    `The credentials in ${path} cannot be used: it was encrypted with another key, or changed`,
  );
});

test.each(['', '{', 'null', '[]', '{}', '{"format":"mooring credentials 2","salt":"","nonce":"","data":""}', '"text"'])(
  'says that %j is something else',
  (text) => {
    expect(() => readSalt(text, path)).toThrow(`${path} cannot be used: it is not a complete credentials file`);
  },
);

test.each(['format', 'salt', 'nonce', 'data'])('a file without %s is reported as not a credentials file', (member) => {
  const sealed = JSON.parse(seal({ key, salt }, kept)) as Record<string, string>; // just written
  const text = JSON.stringify({ ...sealed, [member]: undefined });
  expect(() => unseal(key, text, path)).toThrow(`${path} cannot be used: it is not a complete credentials file`);
});
