/** `mooring dev-version`: what `mooring dev` starts for each version of a module. */
import { badArgument } from '../arguments.ts';
import { type CommandContext, command } from '../command.ts';
import { loadServer } from '../module/load-server.ts';
import { moduleIn, moduleOptions } from '../module/options.ts';
import { tellFailures } from '../offer.ts';
import { offerOfServer } from './offer.ts';
import { ServedVersion } from './served-version.ts';
import type { FromVersion, ToVersion } from './wire.ts';

export const devVersion = command({
  usage: ['<module> [options]'],
  about: 'Serves one version of a module for the `mooring dev` that started it. It is of no use by itself.',
  options: moduleOptions,
  examples: [['mooring dev ./server.ts', 'starts it']],
  async run(input, { shell, print }: CommandContext) {
    const { parent } = shell;
    if (parent === undefined) throw badArgument('dev-version', 'only `mooring dev` starts it; use that');
    const send = (message: FromVersion): void => parent.send(message);
    const gone = new Promise<void>((resolve) => {
      let version: ServedVersion | undefined;
      // the other end was built with this one
      parent.listen((told) => version?.hear(told as ToVersion), resolve);
      loadServer(moduleIn(input, shell), shell)
        .then(async (server) => {
          const { offer, failed } = await offerOfServer(server);
          tellFailures(failed, { print });
          version = new ServedVersion(server, send);
          send({ kind: 'ready', offer });
        })
        .catch((thrown: unknown) =>
          send({ kind: 'failed', why: thrown instanceof Error ? thrown.message : String(thrown) }),
        );
    });
    await gone;
    shell.leave?.();
    return undefined;
  },
});
