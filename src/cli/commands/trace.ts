/** `mooring trace`: prints the messages between a client and a server, one line each. */
import { stripVTControlCharacters } from 'node:util';
import { printableJson } from '../../model/printable.ts';
import { Scrubber } from '../../recording/scrub.ts';
import { type CommandContext, command, withValue } from '../command.ts';
import { targetOptions } from '../target/options.ts';
import { onlyTarget } from '../target/target.ts';
import { httpLine, messageLine } from '../trace/describe.ts';
import { openLineFile } from '../trace/line-file.ts';
import { hasClientOnStdin, observe, type TraceListener } from '../trace/observe.ts';

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
    await observe(target, input, async (masks) =>
      traceTo(await sinkOf(input.values.out, input), new Scrubber(masks), input),
    );
  },
});

interface Sink extends AsyncDisposable {
  readonly where: 'stdout' | 'stderr';
  write(line: string): void;
}

/** As a proxy, stdout carries protocol messages, so lines go to stderr. */
async function sinkOf(out: string | undefined, { shell }: CommandContext): Promise<Sink> {
  const where = hasClientOnStdin(shell) ? 'stderr' : 'stdout';
  if (out === undefined)
    return {
      where,
      write: (line) => void shell[where].write(`${line}\n`),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    };
  const file = await openLineFile(out, 'a', shell);
  return {
    where,
    write: (line) => file.write(stripVTControlCharacters(line)),
    [Symbol.asyncDispose]: () => file[Symbol.asyncDispose](),
  };
}

function traceTo(sink: Sink, scrubber: Scrubber, { shell, print }: CommandContext): TraceListener {
  const writeLine = (data: object, text: () => string): void => {
    const at = new Date(shell.clock.wall()).toISOString();
    sink.write(print.json ? printableJson(JSON.stringify({ at, ...data })) : `${at.slice(11, 23)} ${text()}`);
  };
  return {
    onMessage({ message, ...about }) {
      const { side, answers } = about;
      const scrubbed = { ...about, message: scrubber.message(message) };
      const answered = answers === undefined ? {} : { answers: answers.request.method, ms: Math.round(answers.ms) };
      writeLine({ side, ...answered, message: scrubbed.message }, () => messageLine(scrubbed, print, sink.where));
    },
    onHttp(http) {
      writeLine({ http }, () => httpLine(http, print, sink.where));
    },
    [Symbol.asyncDispose]: () => sink[Symbol.asyncDispose](),
  };
}
