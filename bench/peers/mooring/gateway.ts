/** Mooring's gateway in front of one HTTP server, without prefixes. With a token it verifies callers. */
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

/** The keys are passed in, because the issuer does not exist. */
const verify = (keys: string) =>
  jwt({ issuer: ISSUER, jwksUri: `${ISSUER}/keys`, fetch: async () => Response.json(JSON.parse(keys)) });

const auth = jwks === undefined ? {} : { auth: bearer({ audience: AUDIENCE, verify: verify(jwks) }) };
const { url } = await serveHttp(gateway, { port: 0, maxBodyBytes: room, ...auth });
underTest(url);
