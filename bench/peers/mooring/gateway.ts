/** A gateway of Mooring in front of one server over HTTP, under the server's own names; with a token, it verifies its callers. */
import { bearer, jwt } from 'mooring/auth';
import { createGateway } from 'mooring/gateway';
import { serveHttp } from 'mooring/node';
import { AUDIENCE, ISSUER } from '../../load/issuer.ts';
import { setup } from '../../work.ts';
import { underTest } from '../under-test.ts';

const { servers, room } = setup();
const { upstream = '', jwks } = servers;
const gateway = createGateway({
  name: 'gateway',
  version: '1.0.0',
  upstreams: { quay: { url: upstream } },
  names: { style: 'bare', uris: 'as-is' },
});

/** The keys of an issuer that is not there. */
const verify = (keys: string) =>
  jwt({ issuer: ISSUER, jwksUri: `${ISSUER}/keys`, fetch: async () => Response.json(JSON.parse(keys)) });

const auth = jwks === undefined ? {} : { auth: bearer({ audience: AUDIENCE, verify: verify(jwks) }) };
const { url } = await serveHttp(gateway, { port: 0, maxBodyBytes: room, ...auth });
underTest(url);
