/** Large messages in both directions. */
import { inSessions, NO_STDIO, only, overStdio } from '../contenders.ts';
import { HttpSubject } from '../load/http-subject.ts';
import { StdioSubject } from '../load/stdio-subject.ts';
import { type AnyScenario, type Sample, scenario } from '../scenario.ts';
import { echo } from '../wire.ts';
import { mustBe, type ToolResult, textOf } from '../work.ts';

const MB = 1_000_000;
/** Size limits are raised to this, so that all contenders do the same work. */
export const room = 64 * MB;
const line = 'She said "ahoy", and the quay answered.\n';
export const text = (bytes: number): string => line.repeat(Math.ceil(bytes / line.length)).slice(0, bytes);

export async function echoOverHttp(subject: HttpSubject, message: string, ms: number): Promise<Sample> {
  const caller = await subject.first();
  const once = async (): Promise<void> => {
    const { result } = await caller.call(echo(message));
    mustBe(message, textOf(result as ToolResult)); // checked by textOf
  };
  return subject.measure(ms, [once]);
}

const overLines = (subject: StdioSubject, message: string, ms: number): Promise<Sample> =>
  subject.measure(ms, 1, () => ({
    call: echo(message),
    check: ({ result }) => mustBe(message, textOf(result as ToolResult)), // checked by textOf
  }));

const NO_ROOM = 'a fixed limit of 10 MiB';
const sizes = [
  { id: '1mb', title: '1 MB', message: text(MB), thorough: false, without: {} },
  {
    id: '10mb',
    title: '10 MB',
    message: text(10 * MB),
    thorough: true,
    without: { fastmcp: NO_ROOM, 'fastmcp, JSON': NO_ROOM },
  },
];

export const payloadHttp: AnyScenario = scenario({
  id: 'payload-http',
  title: 'Large messages over HTTP',
  about:
    'Echoes a message of this size that contains quotes and line breaks. Size limits of peers are raised where possible.',
  rows: sizes.map(({ message, ...row }) => ({
    ...row,
    unit: 'CPU µs',
    measure: (one: HttpSubject, ms) => echoOverHttp(one, message, ms),
  })),
  contenders: only(
    inSessions,
    'limit',
    'Mooring',
    'official v2, JSON',
    'official v1, JSON',
    'fastmcp, JSON',
    'tmcp',
    'mcp-lite, JSON',
  ).map((entry) => ({ name: entry.name, open: () => HttpSubject.start(entry, { room }) })),
});

export const payloadStdio: AnyScenario = scenario({
  id: 'payload-stdio',
  title: 'Large messages over stdio',
  about: 'The same messages over stdio.',
  rows: sizes.map(({ message, ...row }) => ({
    ...row,
    unit: 'CPU µs',
    measure: (one: StdioSubject, ms) => overLines(one, message, ms),
  })),
  contenders: only(overStdio, 'limit', 'Mooring', 'official v2', 'official v1', 'fastmcp', 'tmcp').map((entry) => ({
    name: entry.name,
    open: () => StdioSubject.start(entry, { room }),
  })),
  without: NO_STDIO,
});
