/** Waits until it is its turn, and then is the everything-client: `in-turn <port of the gate> <url>`. */
import { once } from 'node:events';
import { connect } from 'node:net';

const gate = connect(Number(process.argv[2]), '127.0.0.1');
await once(gate, 'data');
// It stays open until this process ends, which is when the next one may begin.
gate.unref();
await import('./everything-client.ts');
