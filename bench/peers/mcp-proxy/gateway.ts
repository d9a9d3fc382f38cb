/** mcp-proxy in front of one child process for all sessions. */
import { commandProxy } from '../command-proxy.ts';

await commandProxy('mcp-proxy/dist/bin/mcp-proxy.mjs', (port, server) => [
  ...['--port', port, '--host', '127.0.0.1', '--server', 'stream', '--'],
  ...[process.execPath, server],
]);
