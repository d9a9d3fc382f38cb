/** `mooring trace`: prints the messages between a client and a server, one line each. */
import { stripVTControlCharacters } from 'node:util';
import { printableJson } from '../../model/printable.ts';
import { Scrubber } from '../../recording/scrub.ts';
import { type CommandContext, command, withValue } from '../command.ts';
import { targetOptions } from '../target/options.ts';
import { onlyTarget } from '../target/target.ts';
import { httpLine, messageLine } from '../trace/describe.ts';
import { type LineFile, openLineFile } from '../trace/line-file.ts';
import { hasClientOnStdin, noClient, observe, type TraceListener } from '../trace/observe.ts';

export const trace = command('trace', {
  usage: ['<target> [--out <file>]', '[options] -- <command> [argument …]'],
  about: `Print every message between client and server.

In a terminal, trace connects to the server, lists everything, and prints messages until Ctrl-C. Otherwise it forwards messages between a client and the server: in the configuration of an application, put \`mooring trace --out <file> --\` in front of the command, and read the file. Without --out, the lines go to standard error, which applications hide (\`mooring call\` shows it with --verbose). For a URL, trace prints HTTP requests too. Secrets are masked.`,
  options: {
    ...targetOptions,
    out: withValue('file', 'Append the lines to this file'),
  },
  examples: [
    ['mooring trace https://example.com/mcp'],
    ['mooring trace ./server.ts --json', 'one line of JSON per message'],
    ['mooring trace --out /tmp/trace.txt -- node server.js', 'the command of an application'],
  ],
  async run(input) {
    const target = await onlyTarget(input);
    const { values, shell, print } = input;
    const { out } = values;
    let isSilent = true;
    await observe(target, input, async (masks) => {
      const file = out === undefined ? undefined : await openLineFile(out, 'a', shell);
      const listener = listenerFor(file, new Scrubber(masks), input);
      const onMessage: TraceListener['onMessage'] = (one) => {
        isSilent = false;
        listener.onMessage(one);
      };
      return { ...listener, onMessage };
    });
    if (isSilent && hasClientOnStdin(shell) && !shell.signal.aborted) print.note(`Nothing was printed: ${noClient}`);
  },
});

/** Without a file, prints to stdout; as a proxy, whose stdout carries protocol messages, to stderr. */
function listenerFor(file: LineFile | undefined, scrubber: Scrubber, { shell, print }: CommandContext): TraceListener {
  const where = hasClientOnStdin(shell) ? 'stderr' : 'stdout';
  const writeLine = (data: object, text: () => string): void => {
    const at = new Date(shell.clock.wall()).toISOString();
    const line = print.json ? printableJson(JSON.stringify({ at, ...data })) : `${at.slice(11, 23)} ${text()}`;
    if (file === undefined) shell[where].write(`${line}\n`);
    else file.write(stripVTControlCharacters(line));
  };
  return {
    onMessage({ message, ...about }) {
      const { side, answers } = about;
      const scrubbed = { ...about, message: scrubber.message(message) };
      const answered = answers === undefined ? {} : { answers: answers.request.method, ms: Math.round(answers.ms) };
      writeLine({ side, ...answered, message: scrubbed.message }, () => messageLine(scrubbed, print, where));
    },
    onHttp: (http) => writeLine({ http }, () => httpLine(http, print, where)),
    [Symbol.asyncDispose]: async () => file?.[Symbol.asyncDispose](),
  };
}
