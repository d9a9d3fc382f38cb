/**
 * The everything-server: has every feature, for test suites and for trying clients.
 *
 *   npm run everything -- --port 3000      HTTP: /mcp (Streamable HTTP), /sse (HTTP+SSE)
 *   npm run everything -- --stdio          standard input and output
 */
import { parseArgs } from 'node:util';
import { serveHttp } from 'mooring/node';
import { skills } from 'mooring/skills';
import { serveStdio } from 'mooring/stdio';
import { createEverything } from './everything/server.ts';

/** The same path from the source and from the bundle. */
const skillFolder = new URL('../../test/conformance/everything/skills', import.meta.url);

const usage = `Usage: npm run everything -- --port <number> | --stdio

  --port <number>   serve HTTP on this port of this machine; 0 takes a free one
                    /mcp is Streamable HTTP, /sse is HTTP+SSE
  --stdio           serve standard input and output
  --help            show this`;

interface Wanted {
  readonly help?: boolean | undefined;
  readonly stdio?: boolean | undefined;
  readonly port?: string | undefined;
}

/** The options, or an error message. */
function wanted(): Wanted | string {
  try {
    const { values } = parseArgs({
      options: { port: { type: 'string' }, stdio: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
    });
    const { port, stdio, help } = values;
    if (help === true) return values;
    if ((port === undefined) === (stdio === undefined)) return 'Give either --port <number> or --stdio.';
    if (port !== undefined && !(/^\d{1,5}$/.test(port) && Number(port) < 65_536))
      return `--port must be a number from 0 to 65535, not "${port}".`;
    return values;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

async function overHttp(port: number): Promise<void> {
  const server = createEverything(await skills(skillFolder));
  const listening = await serveHttp(server, { port, sse: '/sse' });
  console.log(`Serving everything at ${listening.url} (HTTP+SSE at ${new URL('/sse', listening.url).href})`);
  console.log('Press Ctrl-C to stop.');
  await new Promise((resolve) => {
    process.once('SIGINT', resolve);
    process.once('SIGTERM', resolve);
  });
  server.close();
  await listening.close();
}

const options = wanted();
if (typeof options === 'string') {
  console.error(`${options}\n\n${usage}`);
  process.exitCode = 2;
} else if (options.help === true) {
  console.log(usage);
} else if (options.stdio === true) {
  await serveStdio(createEverything(await skills(skillFolder)));
} else {
  await overHttp(Number(options.port)).catch((error: NodeJS.ErrnoException) => {
    console.error(error.code === 'EADDRINUSE' ? `Port ${options.port} is taken; try --port 0.` : error);
    process.exitCode = 1;
  });
}
