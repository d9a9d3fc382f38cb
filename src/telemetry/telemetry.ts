/** OpenTelemetry: spans and durations of what servers answer and clients send, by the conventions for MCP. */
import {
  type Context,
  context,
  type Meter,
  metrics,
  SpanKind,
  type Link as SpanLink,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { isRequest, type RpcResponse } from '../jsonrpc/message.ts';
import { VERSION } from '../model/names.ts';
import { type Clock, systemClock } from '../peer/clock.ts';
import { type Layer, linkWith } from '../peer/exchange.ts';
import { CLIENT_DURATION, DURATION_BOUNDARIES, SERVER_DURATION } from './names.ts';
import { Operation, type OperationRecorder, type OperationStart } from './operation.ts';
import { readTrace, writeTrace } from './trace-meta.ts';

/** Where telemetry goes; by default to the providers that your application registered with OpenTelemetry. */
export interface TelemetryOptions {
  readonly tracer?: Tracer;
  readonly meter?: Meter;
  readonly clock?: Clock;
}

/** Layers that report what passes through them. */
export interface Telemetry {
  /** For servers: `use(server, telemetry().server)`. */
  readonly server: Layer;
  /** For clients and hosts: `connect(url, { layers: [telemetry().client] })`. */
  readonly client: Layer;
}

const SCOPE = 'mooring';

/** Reports methods, tools, durations and kinds of errors; never arguments, results, URIs or texts of errors. */
export function telemetry(options: TelemetryOptions = {}): Telemetry {
  const { tracer = trace.getTracer(SCOPE, VERSION), meter = metrics.getMeter(SCOPE, VERSION) } = options;
  const { clock = systemClock } = options;
  const names = new Set<string>();
  const recorder = (kind: OperationRecorder['kind'], name: string): OperationRecorder => {
    const advice = { explicitBucketBoundaries: [...DURATION_BOUNDARIES] };
    return { tracer, kind, clock, names, durations: meter.createHistogram(name, { unit: 's', advice }) };
  };
  const received = recorder(SpanKind.SERVER, SERVER_DURATION);
  const sent = recorder(SpanKind.CLIENT, CLIENT_DURATION);
  return { server: serverLayer(received, sent), client: clientLayer(sent, received) };
}

/** What the server asks its client meanwhile is an operation of its own. */
const serverLayer =
  (received: OperationRecorder, sent: OperationRecorder): Layer =>
  (next) =>
  async (message, link) => {
    if (!isRequest(message)) return next(message, link);
    const around = context.active();
    const parent = readTrace(message, around);
    const operation = new Operation(received, {
      request: message,
      revision: link.revision,
      parent,
      links: outerSpan(),
    });
    const inside = trace.setSpan(parent, operation.span);
    const asking = linkWith(link, {
      ask: (request) => measure(sent, { request, parent: inside }, (to) => link.ask(writeTrace(request, to))),
    });
    return settle(operation, () => context.with(inside, () => next(message, asking)));
  };

/** What the server asks is measured as received, in the trace that it names. */
const clientLayer =
  (sent: OperationRecorder, received: OperationRecorder): Layer =>
  (next) =>
  async (message, link) => {
    if (!isRequest(message)) return next(message, link);
    const parent = context.active();
    const operation = new Operation(sent, { request: message, revision: link.revision, parent });
    const inside = trace.setSpan(parent, operation.span);
    const answering = linkWith(link, {
      ask: (request) => measure(received, { request, parent: readTrace(request, inside) }, () => link.ask(request)),
    });
    return settle(operation, () => context.with(inside, () => next(writeTrace(message, inside), answering)));
  };

/** One request, inside of its span. */
async function measure(
  recorder: OperationRecorder,
  start: OperationStart,
  run: (inside: Context) => Promise<RpcResponse>,
): Promise<RpcResponse> {
  const operation = new Operation(recorder, start);
  return settle(operation, () => run(trace.setSpan(start.parent, operation.span)));
}

async function settle<R extends RpcResponse | undefined>(operation: Operation, run: () => Promise<R>): Promise<R> {
  try {
    const response = await run();
    operation.answered(response);
    return response;
  } catch (thrown) {
    operation.failed(thrown);
    throw thrown;
  }
}

/** The span of the HTTP request, where something reports those: it is another trace than the sender's. */
function outerSpan(): readonly SpanLink[] {
  const span = trace.getActiveSpan();
  return span === undefined ? [] : [{ context: span.spanContext() }];
}
