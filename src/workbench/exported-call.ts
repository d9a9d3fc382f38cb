/** Collects what an export needs about a request: all its rounds, the user's answers, the last result. */
import { badDefinition } from '../errors.ts';
import { classifySource, writtenText } from '../host/config/source.ts';
import type { ServerSource } from '../host/index.ts';
import { isObject, type JsonObject } from '../jsonrpc/message.ts';
import { MASK } from '../model/secrets.ts';
import type { SpanRow } from './protocol-timeline.ts';
import type { Workbench } from './workbench.ts';
import { addressOf } from './workbench-servers.ts';

export interface ExportedCall {
  readonly server: string;
  /** Masked. */
  readonly source: ServerSource;
  readonly revision: string | undefined;
  readonly method: string;
  readonly params: JsonObject;
  /** The user's answers, in order. */
  readonly answers: readonly JsonObject[];
  /** The result of the last round; undefined if it failed or is missing. */
  readonly result: JsonObject | undefined;
  readonly spans: readonly SpanRow[];
  readonly hasMasks: boolean;
}

export function exportedCall(bench: Workbench, id: number): ExportedCall {
  const { history, servers } = bench;
  const span = history.span(id);
  if (span === undefined) throw badDefinition(`Request #${id}`, 'unknown in this session');
  const rounds =
    span.ref === undefined ? [span] : history.spansOf(span.ref).filter(({ method }) => method === span.method);
  const first = rounds[0] ?? span;
  const last = rounds.at(-1) ?? span;
  const children = [...history.spans()].reverse().filter(({ parent }) => rounds.some((one) => one.id === parent));
  const params = paramsOf(bench, first.id);
  const asked = children.flatMap((one): JsonObject[] => {
    const result = resultOf(history.response(one.id));
    return result === undefined ? [] : [result];
  });
  const answered = rounds.flatMap((one) =>
    Object.values(objectIn(paramsOf(bench, one.id), 'inputResponses')).flatMap((answer): JsonObject[] =>
      isObject(answer) ? [answer] : [],
    ),
  );
  const shown = Object.fromEntries(Object.entries(params).filter(([key]) => key !== '_meta'));
  const source = maskedSource(bench, span.server);
  return {
    ...{ server: span.server, source, revision: servers.info(span.server).revision },
    ...{ method: span.method, params: shown, answers: [...asked, ...answered] },
    result: resultOf(history.response(last.id)),
    spans: [...rounds, ...children],
    hasMasks: [shown, source].some((one) => JSON.stringify(one)?.includes(MASK)),
  };
}

/** Masks the URL or command line, which can contain secrets too. */
function maskedSource(bench: Workbench, label: string): ServerSource {
  const source = bench.servers.source(label) ?? '';
  const found = classifySource(source);
  if (found?.kind === 'url') return { ...found.source, url: bench.scrub(label, addressOf(source)) };
  if (found?.kind !== 'command') return source;
  const { command, args = [], shownAs, cwd, ...others } = found.source;
  const [first = '', ...rest] = bench.scrub(label, [command, ...args].map(writtenText));
  const shown = shownAs === undefined ? {} : { shownAs: bench.scrub(label, shownAs) };
  // A `cwd` with placeholders is the folder of the configuration, which is where an export is run.
  const folder = typeof cwd === 'string' ? { cwd: bench.scrub(label, cwd) } : {};
  return { ...others, command: first, args: rest, ...shown, ...folder };
}

export const objectIn = (value: JsonObject, key: string): JsonObject => {
  const found = value[key];
  return isObject(found) ? found : {};
};

function paramsOf({ history }: Workbench, id: number): JsonObject {
  return objectIn(JSON.parse(history.text(id)) as JsonObject, 'params'); // a request
}

function resultOf(response: JsonObject | undefined): JsonObject | undefined {
  const result = response?.['result'];
  return isObject(result) ? result : undefined;
}
