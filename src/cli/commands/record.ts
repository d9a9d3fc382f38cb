/** `mooring record`: a conversation for a cassette. */
import { badArgument, rejectExtra } from '../arguments.ts';
import { Recorder } from '../cassette/recorder.ts';
import { Scrubber } from '../cassette/scrub.ts';
import { type CommandContext, command } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { targetOptions } from '../target/options.ts';
import { targetIn } from '../target/target.ts';
import { openLineFile } from '../trace/line-file.ts';
import { isBetween, observe } from '../trace/observe.ts';

export const record = command({
  usage: ['<target> --out <cassette.ndjson>', '--out <cassette.ndjson> [options] -- <command> [argument …]'],
  about: `Writes down what a client and a server say to each other, for \`mooring replay\` and for tests. Secrets are masked: look through
the file all the same before you share it. On a terminal it connects to the server itself and lists everything, until Ctrl-C.
Otherwise it stands between a client and the server: put it in front of a server's command in an application's configuration.`,
  options: {
    ...targetOptions,
    out: { type: 'string', value: 'file', about: 'The cassette, which must not be there yet' },
  },
  examples: [
    ['mooring record https://example.com/mcp --out shop.ndjson', 'what the server offers'],
    ['mooring record --out shop.ndjson -- node shop.js', "as the command in an application's configuration"],
    ['mooring replay shop.ndjson', 'then serve it without the server'],
  ],
  async run(input, { shell, print }: CommandContext) {
    const { values } = input;
    const { target, words } = await targetIn(input, shell);
    rejectExtra(words);
    const { out } = values;
    if (out === undefined) throw badArgument('--out', 'it is missing: name a file for the cassette');
    let recorder: Recorder | undefined;
    await observe(
      target,
      { values, shell, print },
      {
        listen: async (masks) => {
          const file = await openLineFile(out, 'ax', shell);
          recorder = new Recorder({ file, scrubber: new Scrubber(masks), server: target.label, shell });
          return recorder;
        },
      },
    );
    const { count = 0, path = '' } = recorder ?? {};
    if (count === 0) {
      const why = isBetween(shell) ? 'no client wrote to standard input' : 'client and server said nothing';
      print.note(
        `Nothing was recorded: ${why}. Put this command into an application's configuration, or run it on a terminal.`,
      );
      print.data({ file: path, messages: 0 });
      return exitCodes.no;
    }
    const told = `${count} messages are in ${path}`;
    // Standard output is the client's, where there is one.
    if (isBetween(shell)) print.note(told);
    else {
      print.line(told);
      print.data({ file: path, messages: count });
    }
    return undefined;
  },
});
