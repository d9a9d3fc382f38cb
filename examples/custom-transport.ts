/**
 * Another transport: the same newline framing on a TCP socket, both ends, in a few lines each.
 *
 *   npx tsx examples/custom-transport.ts
 */
import { strict as assert } from 'node:assert';
import { once } from 'node:events';
import { connect as dial, createServer as listen, type Socket } from 'node:net';
import { createServer, tool } from 'mooring';
import { connect } from 'mooring/client';
import { serveStdio } from 'mooring/stdio';
import { Duplex, type Transport } from 'mooring/transport';

const hello = tool({ name: 'hello', run: () => 'Hello over TCP' });
const server = createServer({ name: 'tcp', version: '1.0.0', parts: [hello] });

// #region server
const listener = listen((socket) => {
  void serveStdio(server, { input: socket, output: socket });
});
// #endregion
listener.listen(0, '127.0.0.1');
await once(listener, 'listening');
const address = listener.address();
assert.ok(address !== null && typeof address === 'object');
const { port } = address;

// #region client
/** Frames: one JSON text per line. Cancelling: notifications/cancelled, which Duplex sends. */
const overTcp: Transport = async (inbound, session) => {
  const socket: Socket = dial(port, '127.0.0.1');
  await once(socket, 'connect');
  const duplex = new Duplex({ inbound, session, send: (message) => socket.write(`${JSON.stringify(message)}\n`) });
  let rest = '';
  socket.setEncoding('utf8');
  socket.on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) duplex.receive(JSON.parse(line));
  });
  const closed = once(socket, 'close').then(() => {
    duplex.end(new Error('The socket closed'));
    return undefined;
  });
  return {
    exchange: duplex.exchange,
    closed,
    async close() {
      socket.end();
      await closed;
    },
  };
};
// #endregion

const client = await connect(overTcp);
console.log((await client.call('hello')).text);
assert.equal((await client.call('hello')).text, 'Hello over TCP');
await client.close();
listener.close();
