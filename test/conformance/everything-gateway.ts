/** A gateway in front of the everything-server, without prefixes, because the suite expects the server's names: `--upstream <url>`. */
import { parseArgs } from 'node:util';
import { createGateway } from 'mooring/gateway';
import { serveHttp } from 'mooring/node';

const { values } = parseArgs({ options: { upstream: { type: 'string' } } });
const gateway = createGateway({
  name: 'everything-gateway',
  version: '1.0.0',
  upstreams: {
    everything: {
      url: values.upstream ?? '',
      questions: { visit: { hosts: ['*.example.com', 'example.com', 'mcp.example.com'] }, prefix: false },
    },
  },
  names: { style: 'bare', uris: 'as-is' },
});
const listener = await serveHttp(gateway, { port: 0 });
console.log(listener.url);
process.once('SIGINT', () => {
  void gateway.close().then(() => listener.close());
});
