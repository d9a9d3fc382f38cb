/** Waits for a free slot, then runs the everything-client: `in-turn <port of the gate> <url>`. */
import { once } from 'node:events';
import { connect } from 'node:net';

const gate = connect(Number(process.argv[2]), '127.0.0.1');
await once(gate, 'data');
// The connection is the slot, and is open until this process ends.
gate.unref();
await import('./everything-client.ts');
