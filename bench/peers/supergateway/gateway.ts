/** supergateway with a child process for each session. */
import { commandProxy } from '../command-proxy.ts';

await commandProxy('supergateway/dist/index.js', (port, server) => [
  ...['--stdio', `"${process.execPath}" "${server}"`, '--outputTransport', 'streamableHttp', '--stateful'],
  ...['--port', port, '--logLevel', 'none'],
]);
