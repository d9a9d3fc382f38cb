/** The verb that exports calls as command line, test, recording, curl or JSON. All are masked. */
import { oneOf, type Shape } from '../../model/shape.ts';
import { cassetteHead } from '../../recording/recording.ts';
import { cliText, curlText, type ExportedText, testText } from '../export-texts.ts';
import { type ExportedCall, exportedCall } from '../exported-call.ts';
import type { ExportFormat } from '../protocol-timeline.ts';
import { type VerbTable, verb } from '../rpc.ts';
import type { Workbench } from '../workbench.ts';
import { linesOf } from '../workbench-recordings.ts';

const MAX_SPANS = 100;
const spanIds: Shape<readonly number[]> = (value, at) => {
  const holds =
    Array.isArray(value) &&
    value.length > 0 &&
    value.length <= MAX_SPANS &&
    value.every((one) => typeof one === 'number');
  return holds ? undefined : `"${at}" must be a list of 1 to ${MAX_SPANS} spans`;
};
const names = {
  cli: 'calls.sh',
  test: 'calls.test.ts',
  cassette: 'calls.ndjson',
  curl: 'calls.sh',
  json: 'messages.json',
} as const;

export const exportVerbs = (bench: Workbench): VerbTable => ({
  export: verb(
    {
      spans: spanIds,
      as: oneOf<ExportFormat>('cli', 'test', 'cassette', 'curl', 'json'),
    },
    ({ spans, as }) => {
      const calls = spans.map((id) => exportedCall(bench, id));
      return { fileName: names[as], ...textOf(bench, calls, as) };
    },
  ),
});

function textOf(bench: Workbench, calls: readonly ExportedCall[], as: ExportFormat): ExportedText {
  if (as === 'cli') return cliText(calls);
  if (as === 'test') return testText(calls);
  if (as === 'curl') return curlText(calls);
  if (as === 'json') {
    const messages = [...wantedIds(bench, calls)].map((id) => JSON.parse(bench.history.text(id)) as unknown);
    return { text: `${JSON.stringify(messages, undefined, 2)}\n`, notes: [] };
  }
  return cassetteText(bench, calls);
}

/** A recording of the first call's server. Includes handshake and lists, which a client requests before it calls. */
function cassetteText(bench: Workbench, calls: readonly ExportedCall[]): ExportedText {
  const server = calls[0]?.server ?? '';
  const wanted = wantedIds(
    bench,
    calls.filter((one) => one.server === server),
  );
  const isWanted = (id: number): boolean => wanted.has(id) || isOpening(bench.history.row(id)?.method ?? '');
  const head = cassetteHead(bench.servers.info(server).address, bench.clock);
  const lines = [head, ...linesOf(bench, server, isWanted)].map((line) => JSON.stringify(line));
  const others = new Set(calls.map((one) => one.server)).size - 1;
  return {
    text: `${lines.join('\n')}\n`,
    notes: others === 0 ? [] : [`A recording has one server: only the calls of ${server} were saved.`],
  };
}

const isOpening = (method: string): boolean =>
  /^(?:initialize|server\/discover|notifications\/initialized|\w+(?:\/templates)?\/list)$/.test(method);

function wantedIds({ history }: Workbench, calls: readonly ExportedCall[]): ReadonlySet<number> {
  const spans = new Set(calls.flatMap((one) => one.spans.map(({ id }) => id)));
  const wanted = new Set<number>();
  for (const server of new Set(calls.map((one) => one.server)))
    for (const { id, span } of history.messagesOf(server)) if (span !== undefined && spans.has(span)) wanted.add(id);
  return wanted;
}
