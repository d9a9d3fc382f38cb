/** `mooring run`: serves the server that a module exports. */
import { finished } from 'node:stream/promises';
import { waitForAbort } from '../../peer/wait.ts';
import { type CommandContext, command } from '../command.ts';
import { loadForStdio, loadServer, type ModuleFile } from '../module/load-server.ts';
import { listenAddressIn, moduleIn, moduleOptions } from '../module/options.ts';
import { explainStdio, serveOnHttp, serveOnStdio } from '../module/serve.ts';

export const run = command('run', {
  usage: ['<module> [options]'],
  about: `Serve a module over stdio or HTTP.

The module is a .js or .ts file that exports a server, or a function that returns one. TypeScript is loaded by tsx if your project has it, otherwise by Node.`,
  options: moduleOptions,
  examples: [
    ['mooring run ./server.ts', 'over stdio, for a client that starts it'],
    ['mooring run ./server.ts --http', 'at http://127.0.0.1:3000/mcp'],
    ['mooring run dist/server.js --http 8080 --path /'],
  ],
  async run(input) {
    const { shell } = input;
    const module = moduleIn(input);
    const place = listenAddressIn(input);
    if (place === undefined) await runOnStdio(module, input);
    else await serveOnHttp(await loadServer(module, shell), place, input);
    shell.leave?.();
  },
});

async function runOnStdio(module: ModuleFile, context: CommandContext): Promise<void> {
  const { shell } = context;
  const { server, loading } = await loadForStdio(module, shell);
  explainStdio(context, module.argument);
  if (server !== undefined) return serveOnStdio(server, shell);
  const { stdin, signal } = shell;
  // The module serves stdin itself, so it ends when stdin ends.
  void waitForAbort(signal).then(() => stdin.destroy());
  await loading;
  // Not by its 'close', which a file and /dev/null never emit. Ctrl-C destroys it before its end.
  await finished(stdin, { writable: false }).catch(() => undefined);
}
