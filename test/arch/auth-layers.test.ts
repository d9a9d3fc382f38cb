/** The folders of src/auth are layers: each imports only layers that stand before it in the list. */
import { expect, test } from 'vitest';
import { importsOf, sourceFiles } from '../support/source.ts';

/** From the bottom up. A change to this list is a decision about the architecture and says its reason. */
const layers = [
  'web', // guarded HTTP requests, the trace of them, and what both sides read and write
  'client/context', // what every step works with
  'client/discovery', // a challenge becomes an authorization server and scopes
  'client/identity', // how the client authenticates: secret, key, DPoP
  'client/credentials', // where registrations and tokens are stored
  'client/tokens', // requesting, renewing and replacing tokens
  'client/registration', // how the client gets an id
  'client/sign-in', // grants for users: `oauth`
  'client/machine', // grants without users
  'server', // verifying tokens; knows nothing of the client
];

const layerOf = (file: string): string | undefined => /^src\/auth\/((?:client\/)?[^/]+)\//.exec(file)?.[1];

const files = sourceFiles().filter((file) => file.startsWith('src/auth/') && file !== 'src/auth/index.ts');

test('every file of src/auth but its index.ts is in a layer of the list', () => {
  expect(files.filter((file) => layerOf(file) === undefined)).toEqual([]);
  expect(new Set(files.map(layerOf))).toEqual(new Set(layers));
});

test('no layer of src/auth imports a layer above it', () => {
  const broken = files.flatMap((file) =>
    importsOf(file).flatMap(({ to }) => {
      const [own, other] = [layerOf(file) ?? '', layerOf(to)];
      return other === undefined || layers.indexOf(other) <= layers.indexOf(own) ? [] : [`${file} imports ${to}`];
    }),
  );
  expect(broken).toEqual([]);
});

test('client and server of src/auth share nothing but the web', () => {
  const broken = files.flatMap((file) =>
    importsOf(file).flatMap(({ to }) => (isAcross(file, to) ? [`${file} imports ${to}`] : [])),
  );
  expect(broken).toEqual([]);
});

const isAcross = (file: string, to: string): boolean =>
  (file.startsWith('src/auth/server/') && to.startsWith('src/auth/client/')) ||
  (file.startsWith('src/auth/client/') && to.startsWith('src/auth/server/'));
