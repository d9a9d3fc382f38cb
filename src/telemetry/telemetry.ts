/** Reports requests of servers and clients to OpenTelemetry, by its semantic conventions for MCP. */
import {
  type Context,
  context,
  type Histogram,
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
import {
  CLIENT_DURATION,
  CLIENT_SESSION_DURATION,
  DURATION_BOUNDARIES,
  SERVER_DURATION,
  SERVER_SESSION_DURATION,
} from './names.ts';
import { Operation, type OperationRecorder, type OperationStart } from './operation.ts';
import { SessionTimer } from './session-timer.ts';
import { readTrace, writeTrace } from './trace-meta.ts';

/** Options of `telemetry()`. By default, it uses the providers that your application registered with OpenTelemetry. */
export interface TelemetryOptions {
  readonly tracer?: Tracer;
  readonly meter?: Meter;
  readonly clock?: Clock;
}

/** Middleware that reports requests as spans and metrics. */
export interface Telemetry {
  /** For servers: `use(server, telemetry().server)`. */
  readonly server: Layer;
  /** For clients and hosts: `connect(url, { layers: [telemetry().client] })`. */
  readonly client: Layer;
}

const SCOPE = 'mooring';

/** Reports methods, names of tools and prompts, durations and error types; never arguments, results, URIs or error messages. */
export function telemetry(options: TelemetryOptions = {}): Telemetry {
  const { tracer = trace.getTracer(SCOPE, VERSION), meter = metrics.getMeter(SCOPE, VERSION) } = options;
  const { clock = systemClock } = options;
  const names = new Set<string>();
  const histogram = (name: string): Histogram => {
    const advice = { explicitBucketBoundaries: [...DURATION_BOUNDARIES] };
    return meter.createHistogram(name, { unit: 's', advice });
  };
  const shared = { tracer, clock, names };
  const received: OperationRecorder = {
    ...shared,
    kind: SpanKind.SERVER,
    durations: histogram(SERVER_DURATION),
    sessions: histogram(SERVER_SESSION_DURATION),
  };
  const sent: OperationRecorder = {
    ...shared,
    kind: SpanKind.CLIENT,
    durations: histogram(CLIENT_DURATION),
    sessions: histogram(CLIENT_SESSION_DURATION),
  };
  const server = serverLayer(received, sent);
  return { server, client: Object.assign(clientLayer(sent), { inbound: server }) };
}

/** The middleware of servers. Requests that the handler sends to the client get spans of their own. */
const serverLayer =
  (received: OperationRecorder, sent: OperationRecorder): Layer =>
  (next, closed) => {
    const session = new SessionTimer(received, closed);
    return async (message, link) => {
      if (!isRequest(message)) return next(message, link);
      const parent = readTrace(message, context.active());
      const start = { request: message, revision: link.revision, parent, links: outerSpan() };
      return measure(received, start, async (inside) => {
        const asking = linkWith(link, {
          ask: (request, signal) =>
            measure(sent, { request, parent: inside }, (to) => link.ask(writeTrace(request, to), signal)),
        });
        return session.observe(message, await context.with(inside, () => next(message, asking)));
      });
    };
  };

const clientLayer =
  (sent: OperationRecorder): Layer =>
  (next, closed) => {
    const session = new SessionTimer(sent, closed);
    return async (message, link) => {
      if (!isRequest(message)) return next(message, link);
      const start = { request: message, revision: link.revision, parent: context.active() };
      return measure(sent, start, async (inside) =>
        session.observe(message, await context.with(inside, () => next(writeTrace(message, inside), link))),
      );
    };
  };

/** Runs a request inside its span. */
async function measure<R extends RpcResponse | undefined>(
  recorder: OperationRecorder,
  start: OperationStart,
  run: (inside: Context) => Promise<R>,
): Promise<R> {
  const operation = new Operation(recorder, start);
  try {
    const response = await run(trace.setSpan(start.parent, operation.span));
    operation.recordResponse(response);
    return response;
  } catch (thrown) {
    operation.recordFailure(thrown);
    throw thrown;
  }
}

/** Links the active span, such as that of the HTTP request, because it can belong to another trace than the sender's. */
function outerSpan(): readonly SpanLink[] {
  const span = trace.getActiveSpan();
  return span === undefined ? [] : [{ context: span.spanContext() }];
}
