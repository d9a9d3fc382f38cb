/** `mooring call`: one tool, once. */
import { isDeepStrictEqual } from 'node:util';
import type { AttemptResult, Client } from '../../client/index.ts';
import { isObject } from '../../jsonrpc/message.ts';
import type { Tool } from '../../model/parts.ts';
import { printable } from '../../model/printable.ts';
import { badArgument } from '../arguments.ts';
import { type CommandContext, command } from '../command.ts';
import { type OutputTarget, openOutputTarget, outputOptions } from '../content/output-target.ts';
import { printText, showContent } from '../content/show-content.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { listOrThrow } from '../offer.ts';
import { sanitizeIndented } from '../printer.ts';
import { answerOptions, QuestionAnswerer } from '../questions/answering.ts';
import { suggest } from '../suggest.ts';
import { openTarget } from '../target/open.ts';
import { targetOptions } from '../target/options.ts';
import { targetIn } from '../target/target.ts';
import { argumentsFor } from '../tool-arguments/arguments-for.ts';
import { readToolArguments } from '../tool-arguments/read-tool-arguments.ts';

export const callCommand = command({
  name: 'call',
  usage: [
    '<target> <tool> [key=value …]',
    '<target> <tool> <JSON object | @file | ->',
    '<tool> [key=value …] [options] -- <command> [argument …]',
  ],
  about:
    'Calls a tool and prints what it returns. Values become what the tool asks for: numbers, true or false, lists (repeat the\n' +
    'key), members of objects (a.b=1). key:=JSON is taken as JSON, key=@file is what is in the file. Questions of the server are\n' +
    'answered on the terminal or by --answer. Ends with 1 if the tool says that it failed, with 2 if an --answer does not fit.',
  options: { ...outputOptions, ...answerOptions, ...targetOptions },
  examples: [
    ['mooring call https://example.com/mcp refund order=A-1041', 'one argument'],
    ['mooring call ./shop.ts search tag=new tag=red max:=5', 'a list, and JSON'],
    ['mooring call shop order \'{"lines": [{"sku": 1}]}\'', 'all arguments as JSON'],
    ['mooring call shop resize image=@photo.png --out small.png', 'bytes in, bytes out'],
    ['echo \'{"a": 1}\' | mooring call add - -- node calculator.js', 'from standard input, to a command'],
  ],
  async run(input, { shell, print }: CommandContext) {
    const { values } = input;
    const { target, words } = await targetIn(input, shell);
    const [name, ...rest] = words;
    if (name === undefined) throw badArgument('<tool>', 'it is missing; `mooring list` shows which there are');
    const given = await readToolArguments(rest, shell);
    const output = await openOutputTarget(values, shell);
    const bar = print.progress(printable(name));
    const answering = new QuestionAnswerer(
      { shell, print },
      { label: target.label, answers: values.answer, interrupt: () => bar.end() },
    );
    await using client = await openTarget(target, { values, shell, print }, { connect: answering.connect });
    const args = await argumentsFor(await toolCalled(name, client, shell.signal), given, (why) =>
      print.note(printable(why)),
    );
    return await answering
      .during(async (signal) => {
        const result = await client.attempt(name, args, { signal, onProgress: (report) => bar.update(report) });
        bar.end();
        return tell(result, { shell, print, output, called: name });
      })
      .finally(() => bar.end());
  },
});

async function toolCalled(name: string, client: Client, signal: AbortSignal): Promise<Tool> {
  const tools = await listOrThrow(client, 'tools', signal);
  const found = tools.find((tool) => tool.name === name);
  if (found !== undefined) return found;
  const names = tools.map((tool) => tool.name);
  throw badArgument(name, `the server has no such tool; ${suggest(name, names)}`);
}

interface CallReport extends CommandContext {
  readonly output: OutputTarget | undefined;
  readonly called: string;
}

async function tell(result: AttemptResult, telling: CallReport): Promise<ExitCode | undefined> {
  const { print, shell, output } = telling;
  const { data, content, isError, meta } = result;
  if (isError && !print.json)
    print.note(
      `${print.style('red', 'error', 'stderr')} ${sanitizeIndented(result.text === '' ? 'The tool failed' : result.text)}`,
    );
  const shown = isError ? content.filter(({ type }) => type !== 'text') : content.filter((one) => !repeats(one, data));
  const paths = await showContent(shown, telling);
  if (data !== undefined && !isError && !merelyWraps(result))
    printText(JSON.stringify(data, null, 2), { print, shell });
  print.data({
    content,
    ...(data === undefined ? {} : { structuredContent: data }),
    isError,
    ...(Object.keys(meta).length === 0 ? {} : { _meta: meta }),
    ...(output === undefined ? {} : { saved: paths }),
  });
  return isError ? exitCodes.no : undefined;
}

/** Data is told as text too, for clients that know nothing of data. */
function repeats(block: AttemptResult['content'][number], data: unknown): boolean {
  if (data === undefined || block.type !== 'text') return false;
  try {
    return isDeepStrictEqual(JSON.parse(block.text), data);
  } catch {
    return false;
  }
}

/** And text as data, under some name, by servers that have nothing but text. */
function merelyWraps({ data, text }: AttemptResult): boolean {
  const values: readonly unknown[] = isObject(data) ? Object.values(data) : [];
  return values.length === 1 && values[0] === text;
}
