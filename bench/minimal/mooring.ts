/** A minimal stdio server with Mooring. */
import { createServer, tool } from 'mooring';
import { serveStdio } from 'mooring/stdio';
import * as z from 'zod';

const echo = tool({ name: 'echo', input: z.object({ message: z.string() }), run: ({ message }) => message });
await serveStdio(createServer({ name: 'quay', version: '1.0.0', parts: [echo] }));
