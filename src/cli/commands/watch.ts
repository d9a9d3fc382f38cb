/** `mooring watch`: prints changes of a server as they happen. */
import type { WatchFilter } from '../../client/index.ts';
import { isUri } from '../../model/uri-template.ts';
import type { Transport } from '../../peer/exchange.ts';
import { badArgument } from '../arguments.ts';
import { command, flag } from '../command.ts';
import { connectTarget } from '../target/connect-target.ts';
import { targetOptions } from '../target/options.ts';
import { targetIn } from '../target/target.ts';
import { reportStreamLoss, Watching } from '../watch/watching.ts';

export const watch = command('watch', {
  usage: ['<target> [--tools] [--prompts] [--resources] [uri …]', '[uri …] [options] -- <command> [argument …]'],
  about: `Print changes of a server as they happen, until Ctrl-C.

Name URIs to subscribe to resources, and --tools, --prompts or --resources to follow a list. Without any, watch follows all three lists. Each line names what was added (+), removed (−) or changed (~). If the connection is lost, watch reconnects and reports what may have changed in between.`,
  options: {
    tools: flag('Follow the list of tools'),
    prompts: flag('Follow the list of prompts'),
    resources: flag('Follow the list of resources'),
    once: flag('Exit after the first change'),
    ...targetOptions,
  },
  examples: [
    ['mooring watch https://example.com/mcp'],
    ['mooring watch shop orders://A-1041 --json', 'one resource; one line of JSON per event'],
    ['mooring watch ./shop.ts --tools --once && npm test', 'wait for a change of the tools'],
  ],
  async run(input) {
    const { values, shell, print } = input;
    const { target, words } = await targetIn(input);
    const wrong = words.find((word) => !isUri(word));
    if (wrong !== undefined) throw badArgument(wrong, 'expected the URI of a resource');
    const watching = new Watching({ shell, print }, values.once === true);
    const wrapTransport = (transport: Transport): Transport =>
      reportStreamLoss(transport, () => watching.reportState('lost'));
    await using client = await connectTarget(target, input, { wrapTransport });
    return await watching.run(client, filtersOf(values, words));
  },
});

type Lists = Pick<WatchFilter, 'tools' | 'prompts'> & { readonly resources?: boolean };

/** Two filters: `resources` is a flag for the list in one, and the subscribed URIs in the other. */
function filtersOf(
  { tools = false, prompts = false, resources = false }: Lists,
  uris: readonly string[],
): WatchFilter[] {
  const some = tools || prompts || resources || uris.length > 0;
  const lists = some ? { tools, prompts, resources } : { tools: true, prompts: true, resources: true };
  return [
    ...(lists.tools || lists.prompts || lists.resources ? [lists] : []),
    ...(uris.length > 0 ? [{ resources: uris }] : []),
  ];
}
