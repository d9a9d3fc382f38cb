/** `mooring dev`: serves a module while it is being written. */
import { type CommandContext, command } from '../command.ts';
import { Reloader } from '../dev/reloader.ts';
import { FileWatch } from '../dev/watch-files.ts';
import { listenAddressIn, moduleIn, moduleOptions } from '../module/options.ts';
import { explainStdio, serveOnHttp, serveOnStdio } from '../module/serve.ts';

export const dev = command({
  usage: ['<module> [options]'],
  about:
    'Serves the server that a module exports, and goes on with the new code whenever the module or a file that it imports changes. Clients stay connected: calls in hand are finished by the old code, and clients are told which lists changed. Code that cannot be loaded is shown with its place, and the old code goes on.',
  options: moduleOptions,
  examples: [
    ['mooring dev ./server.ts', 'for a client that starts it as a command'],
    ['mooring dev ./server.ts --http', 'at http://127.0.0.1:3000/mcp'],
    ['mooring dev ./server.ts --http 0 --json', 'one line for each thing that happens, for programs'],
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
