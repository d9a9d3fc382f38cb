/** `mooring record`: records a conversation as a test fixture (cassette). */
import { Scrubber } from '../../recording/scrub.ts';
import { badArgument } from '../arguments.ts';
import { type Recorder, recordTo } from '../cassette/recorder.ts';
import { command, withValue } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { targetOptions } from '../target/options.ts';
import { onlyTarget } from '../target/target.ts';
import { openLineFile } from '../trace/line-file.ts';
import { hasClientOnStdin, noClient, observe } from '../trace/observe.ts';

export const record = command('record', {
  usage: ['<target> --out <recording.ndjson>', '--out <recording.ndjson> [options] -- <command> [argument …]'],
  about: `Record a conversation as a test fixture, for \`mooring replay\`.

In a terminal, record connects to the server, lists everything, and records until Ctrl-C. Otherwise it forwards messages between a client and the server: in the configuration of an application, put \`mooring record --out <file> --\` in front of the command. Secrets are masked; read the file before you share it.`,
  exits: [
    [0, 'the client ended the conversation, and it is recorded'],
    [1, 'nothing was recorded'],
    [6, 'the server could not be started'],
    [130, 'Ctrl-C; the messages until then are recorded'],
  ],
  options: {
    ...targetOptions,
    out: withValue('file', 'Write the recording to this new file (required)'),
  },
  examples: [
    ['mooring record https://example.com/mcp --out shop.ndjson'],
    ['mooring record --out shop.ndjson -- node shop.js', 'the command of an application'],
    ['mooring replay shop.ndjson', 'serve the recording'],
  ],
  async run(input) {
    const { values, shell, print } = input;
    const target = await onlyTarget(input);
    const { out } = values;
    if (out === undefined) throw badArgument('--out', 'expected a file for the recording');
    let recorder: Recorder | undefined;
    await observe(target, input, async (masks) => {
      const file = await openLineFile(out, 'ax', shell);
      recorder = recordTo(file, target.label, new Scrubber(masks), shell);
      return recorder;
    });
    const { count = 0, path = '' } = recorder ?? {};
    if (count === 0) {
      const why = hasClientOnStdin(shell) ? noClient : 'client and server exchanged no messages.';
      print.note(`Nothing was recorded: ${why}`);
      print.data({ file: path, messages: 0 });
      return exitCodes.no;
    }
    const summary = `${count} messages are in ${path}`;
    // As a proxy, stdout carries protocol messages to the client.
    if (hasClientOnStdin(shell)) print.note(summary);
    else {
      print.line(summary);
      print.data({ file: path, messages: count });
    }
    return undefined;
  },
});
