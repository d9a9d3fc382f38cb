/** Serves the lots over Streamable HTTP, and over HTTP+SSE at /sse, on a free port; prints where. The argument is the file for the evidence. */
import { serveHttp } from 'mooring/node';
import { lots } from './lots.mjs';

const { url } = await serveHttp(lots(process.argv[2]), { port: 0, sse: '/sse' });
console.log(url);
