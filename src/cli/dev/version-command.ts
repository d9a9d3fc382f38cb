/** `mooring dev-version`: the child process that `mooring dev` starts for each version of a module. */
import { connect } from '../../connect/connect.ts';
import { messageOf } from '../../errors.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import type { Servable } from '../../peer/exchange.ts';
import { badArgument } from '../arguments.ts';
import { command } from '../command.ts';
import { loadServer } from '../module/load-server.ts';
import { moduleIn, moduleOptions } from '../module/options.ts';
import { type ListFailure, offerOfClient, reportListFailures } from '../offer.ts';
import { ServedVersion } from './served-version.ts';
import type { FromVersion, ToVersion, VersionOffer } from './wire.ts';

export const devVersion = command('dev-version', {
  usage: ['<module> [options]'],
  about: 'Serves one version of a module for the `mooring dev` that started it. Not for direct use.',
  options: moduleOptions,
  examples: [['mooring dev ./server.ts', 'starts it']],
  async run(input) {
    const { shell, print } = input;
    const { parent } = shell;
    if (parent === undefined) throw badArgument('dev-version', 'only `mooring dev` starts it; use that');
    const send = (message: FromVersion): void => parent.send(message);
    const disconnected = new Promise<void>((resolve) => {
      let version: ServedVersion | undefined;
      // The parent runs the same build, so its messages are valid.
      parent.listen((sent) => version?.receive(sent as ToVersion), resolve);
      loadServer(moduleIn(input), shell)
        .then(async (server) => {
          const { offer, failed } = await offerOfServer(server);
          reportListFailures(failed, { print });
          version = new ServedVersion(server, send);
          send({ kind: 'ready', offer });
        })
        .catch((thrown: unknown) => send({ kind: 'failed', why: messageOf(thrown) }));
    });
    await disconnected;
    shell.leave?.();
  },
});

/** Lists what a server offers, through a client. */
export async function offerOfServer(
  server: Servable,
): Promise<{ readonly offer: VersionOffer; readonly failed: readonly ListFailure[] }> {
  await using client = await connect(server, { name: 'mooring dev' });
  const { capabilities, info } = client.server;
  const { failed, tools, resources, templates, prompts } = await offerOfClient(client, new AbortController().signal);
  const plain = (items: readonly object[]): readonly JsonObject[] => items.map((item) => ({ ...item }));
  const name = info?.name ?? 'server';
  const listed = { tools: plain(tools), resources: plain([...resources, ...templates]), prompts: plain(prompts) };
  return { offer: { name, capabilities, ...listed }, failed };
}
