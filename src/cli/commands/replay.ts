/** `mooring replay`: serves a recording, or compares a live server with it. */
import { FileFault } from '../../files/file-fault.ts';
import { readFileText } from '../../files/read-file.ts';
import { networkReason, printable } from '../../model/printable.ts';
import { onAbort } from '../../peer/wait.ts';
import { parseCassette, type Recording } from '../../recording/recording.ts';
import { Scrubber } from '../../recording/scrub.ts';
import { replayRecording } from '../../testing/replay.ts';
import { PipeConversation } from '../../transport/pipe-conversation.ts';
import { badArgument, onlyWord } from '../arguments.ts';
import { compare, type ReplayOutcome } from '../cassette/against.ts';
import { shorten } from '../chat/shorten.ts';
import { table } from '../columns.ts';
import { type CommandInput, command, withValue } from '../command.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { pathFrom } from '../paths.ts';
import { countOf, type Printer } from '../printer.ts';
import type { Shell } from '../shell.ts';
import { approveTarget } from '../target/connect-target.ts';
import { targetOptions } from '../target/options.ts';
import { targetIn } from '../target/target.ts';

/** Without --revision: the recording determines the revision. */
const { revision: _, ...connectionOptions } = targetOptions;

const options = {
  against: withValue('target', 'Send the recorded requests to this server, and print what differs'),
  ...connectionOptions,
} as const;

const DEFAULT_TIMEOUT_S = 60;
/** Hours of recording. */
const MAX_CASSETTE_BYTES: number = 256 * 1024 * 1024;

export const replayCommand = command('replay', {
  usage: ['<recording>', '<recording> --against <target>', '<recording> [options] -- <command> [argument …]'],
  about: `Serve a recording, or compare a live server with it.

A recording is served over stdio: the same request gets the same response. A request that was not recorded fails, and the error names the nearest one that was. With --against, or a command after --, the recorded requests go to that server instead.`,
  exits: [
    [0, 'the server responded as recorded'],
    [1, 'at least one response differs'],
  ],
  options,
  examples: [
    ['mooring list -- mooring replay shop.ndjson'],
    ['mooring replay shop.ndjson --against https://example.com/mcp'],
    ['mooring replay shop.ndjson --json -- node shop.js'],
  ],
  async run(input) {
    const { shell } = input;
    const file = onlyWord({ words: input.words, after: [] }, '<recording>', 'a file that `mooring record` wrote');
    const recording = await recordingIn(file, shell);
    const { against } = input.values;
    if (against !== undefined && input.after !== undefined)
      throw badArgument('--against', 'use either --against or a command after --');
    if (against === undefined && input.after === undefined) return serve(recording, shell);
    return compareLive(recording, { ...input, words: against === undefined ? [] : [against] });
  },
});

async function recordingIn(file: string, shell: Shell): Promise<Recording> {
  const path = pathFrom(shell, file);
  const text = await readFileText(path, { maxBytes: MAX_CASSETTE_BYTES }).catch((error: unknown) => {
    throw badArgument(file, `cannot be read: ${error instanceof FileFault ? error.why : networkReason(error)}`);
  });
  if (text === undefined) throw badArgument(file, `file not found (${path})`);
  try {
    return parseCassette(text);
  } catch (error) {
    throw badArgument(file, `not a recording: ${networkReason(error)}`);
  }
}

async function serve(recording: Recording, { stdin, stdout, clock, signal }: Shell): Promise<undefined> {
  const conversation = new PipeConversation(replayRecording(recording), { input: stdin, output: stdout }, { clock });
  onAbort(signal, () => conversation.end('it was interrupted'));
  await conversation.ended;
}

async function compareLive(recording: Recording, input: CommandInput<typeof options>): Promise<ExitCode | undefined> {
  const { shell, print } = input;
  const { target } = await targetIn(input);
  const { plan, masks } = await approveTarget(target, input);
  const bar = print.progress('Comparing');
  const outcomes = await compare(recording, {
    transport: plan.transport,
    scrubber: new Scrubber(masks),
    signal: shell.signal,
    clock: shell.clock,
    timeoutMs: Number(input.values.timeout ?? DEFAULT_TIMEOUT_S) * 1000,
    progress: (progress, total) => bar.update({ progress, total }),
  }).finally(() => bar.end());
  const drift = outcomes.filter(({ state }) => state === 'drift');
  print.result({ server: target.label, drift: drift.length, requests: outcomes }, report(outcomes, print));
  return drift.length > 0 ? exitCodes.no : undefined;
}

function report(outcomes: readonly ReplayOutcome[], print: Printer): readonly string[] {
  const count = (state: ReplayOutcome['state']): number => outcomes.filter((one) => one.state === state).length;
  const skipped = table(
    outcomes.flatMap(({ state, id, method, why = '' }) =>
      state === 'skipped' ? [['skipped', `#${printable(String(id))}`, printable(method), printable(why)]] : [],
    ),
  );
  const drift = outcomes.flatMap(({ state, id, method, at = '', recorded, live }) =>
    state === 'drift'
      ? [
          `  ${print.style('red', 'different')}  #${printable(String(id))} ${printable(method)} at ${printable(at)}`,
          `    recorded ${short(recorded)}`,
          `    now      ${short(live)}`,
        ]
      : [],
  );
  const left = count('skipped') === 0 ? '' : `, ${count('skipped')} skipped`;
  return [
    `${countOf(outcomes.length, 'request')}: ${count('same')} with the same response, ${count('drift')} different${left}`,
    ...drift,
    ...skipped,
  ];
}

const short = (value: unknown): string => (value === undefined ? 'nothing' : shorten(JSON.stringify(value), 120));
