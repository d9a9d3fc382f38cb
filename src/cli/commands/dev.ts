/** `mooring dev`: serves a module while it is being written. */
import { type CommandContext, command } from '../command.ts';
import { Reloader } from '../dev/reloader.ts';
import { FileWatch } from '../dev/watch-files.ts';
import { listenAddressIn, moduleIn, moduleOptions } from '../module/options.ts';
import { explainStdio, serveOnHttp, serveOnStdio } from '../module/serve.ts';

export const dev = command({
  usage: ['<module> [options]'],
  about: `Serve a module with hot reload; clients stay connected.

When the module or a file that it imports changes, new requests run the new code. Running calls finish on the old code. Clients are notified of the lists that changed. If the new code cannot be loaded, dev prints the error and serves the previous version.`,
  options: moduleOptions,
  examples: [
    ['mooring dev ./server.ts', 'over stdio, for a client that starts it'],
    ['mooring dev ./server.ts --http', 'at http://127.0.0.1:3000/mcp'],
    ['mooring dev ./server.ts --http 0 --json', 'a free port; one line of JSON per event'],
  ],
  async run(input, context: CommandContext) {
    const { shell } = context;
    const module = moduleIn(input, shell);
    const place = listenAddressIn(input);
    const reloader = new Reloader(module, context);
    const begun = (): void => void reloader.reload();
    const files = new FileWatch(module.file, shell.clock, begun);
    try {
      if (place === undefined) {
        begun();
        explainStdio(context, module.argument);
        await serveOnStdio(reloader.front, shell);
      } else await serveOnHttp(reloader.front, place, { ...context, begun });
    } finally {
      files.close();
      await reloader.close();
    }
    shell.leave?.();
    return undefined;
  },
});
