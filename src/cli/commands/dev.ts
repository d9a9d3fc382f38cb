/** `mooring dev`: serves a module with hot reload. */
import { FileWatch } from '../../files/file-watch.ts';
import { command, flag } from '../command.ts';
import { Reloader } from '../dev/reloader.ts';
import { withTraffic } from '../dev/traffic.ts';
import { localFiles } from '../module/local-files.ts';
import { listenAddressIn, moduleIn, moduleOptions } from '../module/options.ts';
import { explainStdio, serveOnHttp, serveOnStdio } from '../module/serve.ts';

export const dev = command('dev', {
  usage: ['<module> [options]'],
  about: `Serve a module with hot reload; clients stay connected.

When the module or a file that it imports changes, new requests run the new code. Running calls finish on the old code. Clients are notified of the lists that changed. If the new code cannot be loaded, dev prints the error and serves the previous version.

Every request is one line on standard error: time, client, method, tool, duration, outcome and size of the response.`,
  options: {
    ...moduleOptions,
    quiet: flag('Do not print requests'),
  },
  examples: [
    ['mooring dev ./server.ts', 'over stdio, for a client that starts it'],
    ['mooring dev ./server.ts --http', 'at http://127.0.0.1:3000/mcp'],
    ['mooring dev ./server.ts --http 0 --json', 'a free port; one line of JSON per event'],
  ],
  async run(input) {
    const { shell } = input;
    const module = moduleIn(input);
    const place = listenAddressIn(input);
    const reloader = new Reloader(module, input);
    const served = input.values.quiet === true ? reloader.server : withTraffic(reloader.server, input);
    const reload = (): void => void reloader.reload();
    const watch = new FileWatch(() => localFiles(module.file), shell.clock);
    try {
      await watch.open();
      watch.start(reload);
      if (place === undefined) {
        reload();
        explainStdio(input, module.argument);
        await serveOnStdio(served, shell);
      } else await serveOnHttp(served, place, input, reload);
    } finally {
      watch.close();
      await reloader.close();
    }
    shell.leave?.();
  },
});
