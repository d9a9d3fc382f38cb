/** The folders of src/auth are layers: each imports only layers before it in the list. */
import { expect, test } from 'vitest';
import { layerFaults } from '../support/layers.ts';
import { importsOf, sourceFiles } from '../support/source.ts';

/** From the bottom up. A change to this list is an architecture decision, and states its reason. */
const layers = [
  'web', // guarded HTTP requests, tracing, shared formats
  'client/context', // the context of all steps
  'client/discovery', // a challenge becomes an authorization server and scopes
  'client/identity', // how the client authenticates: secret, key, DPoP
  'client/credentials', // where registrations and tokens are stored
  'client/tokens', // requesting, renewing and replacing tokens
  'client/registration', // how the client gets an id
  'client/sign-in', // grants for users: `oauth`
  'client/machine', // grants without users
  'server', // verifying tokens; knows nothing of the client
];

test('every file of src/auth but its index.ts is in a layer, and no layer imports one above it', () => {
  const top = (file: string): boolean => file === 'src/auth/index.ts';
  expect(layerFaults({ root: 'src/auth', layers, top })).toEqual([]);
});

const files = sourceFiles().filter((file) => file.startsWith('src/auth/'));

test('client and server of src/auth share nothing but the web', () => {
  const broken = files.flatMap((file) =>
    importsOf(file).flatMap(({ to }) => (isAcross(file, to) ? [`${file} imports ${to}`] : [])),
  );
  expect(broken).toEqual([]);
});

const isAcross = (file: string, to: string): boolean =>
  (file.startsWith('src/auth/server/') && to.startsWith('src/auth/client/')) ||
  (file.startsWith('src/auth/client/') && to.startsWith('src/auth/server/'));
