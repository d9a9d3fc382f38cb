/** A gateway of Mooring in front of one server over HTTP, under the server's own names. */
import { createGateway } from 'mooring/gateway';
import { serveHttp } from 'mooring/node';
import { setup } from '../../work.ts';
import { underTest } from '../under-test.ts';

const { servers, room } = setup();
const gateway = createGateway({
  name: 'gateway',
  version: '1.0.0',
  upstreams: { quay: { url: servers['upstream'] ?? '' } },
  names: { style: 'bare', uris: 'as-is' },
});
const { url } = await serveHttp(gateway, { port: 0, maxBodyBytes: room });
underTest(url);
