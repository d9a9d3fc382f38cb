/** `mooring watch`: prints changes of a server as they happen. */
import { isUri } from '../../model/uri-template.ts';
import type { Transport } from '../../peer/exchange.ts';
import { badArgument } from '../arguments.ts';
import { command } from '../command.ts';
import { connectTarget } from '../target/connect-target.ts';
import { targetOptions } from '../target/options.ts';
import { targetIn } from '../target/target.ts';
import { reportStreamLoss, Watching } from '../watch/watching.ts';

export const watch = command('watch', {
  usage: ['<target> [uri …]', '[uri …] [options] -- <command> [argument …]'],
  about: `Print changes of a server as they happen, until Ctrl-C.

Without URIs, watch follows the lists of tools, prompts and resources. With URIs, watch subscribes to these resources. Each line names what was added (+), removed (−) or changed (~). If the connection is lost, watch reconnects and reports what may have changed in between.`,
  options: targetOptions,
  examples: [
    ['mooring watch https://example.com/mcp'],
    ['mooring watch shop orders://A-1041 --json', 'one resource; one line of JSON per event'],
  ],
  async run(input) {
    const { shell, print } = input;
    const { target, words } = await targetIn(input);
    const wrong = words.find((word) => !isUri(word));
    if (wrong !== undefined) throw badArgument(wrong, 'expected the URI of a resource');
    const watching = new Watching({ shell, print });
    const wrapTransport = (transport: Transport): Transport =>
      reportStreamLoss(transport, (error) => watching.reportState('lost', error));
    await using client = await connectTarget(target, input, { wrapTransport });
    return await watching.run(client, words);
  },
});
