import { context, propagation, SpanKind, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { FakeServer } from '../../test/support/fake-server.ts';
import { connect } from '../connect/index.ts';
import { RpcError, ToolError } from '../errors.ts';
import { createHost, rules } from '../host/index.ts';
import { createServer, prompt, resource, type Server, tool, use } from '../index.ts';
import { findRevision, revisions } from '../revisions/index.ts';
import { type VirtualClock, virtualClock } from '../testing/virtual-clock.ts';
import { serveHttp } from '../transport/node.ts';
import { telemetry } from './telemetry.ts';

const spans = new InMemorySpanExporter();
const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] });
const measured = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
});
afterAll(() => {
  context.disable();
  propagation.disable();
});
beforeEach(() => {
  spans.reset();
  measured.reset();
});

const SECRET = 'keep secret';
const meters = () =>
  new MeterProvider({
    readers: [new PeriodicExportingMetricReader({ exporter: measured, exportIntervalMillis: 2 ** 30 })],
  });

function observed(clock?: VirtualClock): {
  server: Server;
  layers: ReturnType<typeof telemetry>;
  flush: () => Promise<void>;
} {
  const provided = meters();
  const layers = telemetry({
    tracer: provider.getTracer('test'),
    meter: provided.getMeter('test'),
    ...(clock && { clock }),
  });
  const server = createServer({
    name: 'observed',
    version: '1.0.0',
    onError: () => undefined,
    parts: [
      tool({
        name: 'echo',
        description: 'Echoes',
        input: z.object({ text: z.string() }),
        run: ({ text }, ctx) => {
          const inner = provider.getTracer('test').startSpan('inside');
          inner.end();
          ctx.log('info', text);
          return text;
        },
      }),
      tool({
        name: 'refuses',
        description: 'Fails',
        run: () => {
          throw new ToolError(SECRET);
        },
      }),
      tool({
        name: 'breaks',
        description: 'Fails with a code',
        run: () => {
          throw new RpcError(-32050, SECRET);
        },
      }),
      tool({ name: 'asks', description: 'Asks', run: async (_, ctx) => String(await ctx.confirm('sure', 'Sure?')) }),
      resource({ uri: `note://${encodeURIComponent(SECRET)}`, name: 'note', read: () => SECRET }),
      prompt({ name: 'greet', description: 'Greets', render: () => 'Hello' }),
    ],
  });
  return { server: use(server, layers.server), layers, flush: () => provided.forceFlush() };
}

const named = (name: string): readonly ReadableSpan[] => spans.getFinishedSpans().filter((span) => span.name === name);
const one = (name: string, kind: SpanKind): ReadableSpan => {
  const [span] = named(name).filter((each) => each.kind === kind);
  if (span === undefined) throw new Error(`no span ${name}; there are ${spans.getFinishedSpans().map((s) => s.name)}`);
  return span;
};

const cases = revisions.flatMap(({ id }) => [
  [id, 'memory'] as const,
  ...(id === '2024-11-05' ? [] : [[id, 'http'] as const]),
]);

describe.each(cases)('%s over %s', (revision, over) => {
  test('client and server spans form one trace, without arguments or results', async () => {
    const { server, layers } = observed();
    const listener = over === 'http' ? await serveHttp(server, { port: 0 }) : undefined;
    const options = {
      revisions: [revision],
      layers: [layers.client],
      elicit: () => ({ action: 'accept' as const, content: { confirm: true } }),
    };
    const client = await connect(listener?.url ?? server, options);
    try {
      await provider.getTracer('test').startActiveSpan('user', async (user) => {
        await client.call('echo', { text: SECRET });
        await client.getPrompt('greet');
        await client.read(`note://${encodeURIComponent(SECRET)}`);
        await client.attempt('refuses');
        await client.attempt('breaks').catch(() => undefined);
        user.end();
      });
      const sent = one('tools/call echo', SpanKind.CLIENT);
      const received = one('tools/call echo', SpanKind.SERVER);
      const { traceId } = one('user', SpanKind.INTERNAL).spanContext();
      expect([sent, received, one('inside', SpanKind.INTERNAL)].map((span) => span.spanContext().traceId)).toEqual([
        traceId,
        traceId,
        traceId,
      ]);
      expect(received.parentSpanContext?.spanId).toBe(sent.spanContext().spanId);
      expect(one('inside', SpanKind.INTERNAL).parentSpanContext?.spanId).toBe(received.spanContext().spanId);
      expect(received.attributes).toMatchObject({
        'mcp.method.name': 'tools/call',
        'gen_ai.tool.name': 'echo',
        'gen_ai.operation.name': 'execute_tool',
      });
      expect(one('prompts/get greet', SpanKind.SERVER).attributes).toMatchObject({ 'gen_ai.prompt.name': 'greet' });
      expect(one('resources/read', SpanKind.SERVER).status.code).toBe(0);
      expect(one('tools/call refuses', SpanKind.SERVER).attributes['error.type']).toBe('tool_error');
      const broken = one('tools/call breaks', SpanKind.CLIENT);
      expect(broken.attributes['error.type']).toBe(broken.attributes['rpc.response.status_code']);
      expect(broken.status).toEqual({ code: 2 });
      const all = spans
        .getFinishedSpans()
        .map(({ name, attributes, events, status }) => ({ name, attributes, events, status }));
      expect(JSON.stringify(all)).not.toMatch(/keep(?: |%20)secret/);
    } finally {
      await client.close();
      await listener?.close(0);
    }
  });
});

test.each(cases.filter(([revision]) => revision >= '2025-06-18'))(
  'a question in %s over %s is a span on both sides if it is a request, and an event otherwise',
  async (revision, over) => {
    const isRequest = findRevision(revision)?.hasServerRequests === true;
    const { server, layers } = observed();
    const listener = over === 'http' ? await serveHttp(server, { port: 0 }) : undefined;
    const elicit = () => {
      provider.getTracer('test').startSpan('answering').end();
      return { action: 'accept' as const, content: { confirm: true } };
    };
    const client = await connect(listener?.url ?? server, { revisions: [revision], layers: [layers.client], elicit });
    await client.call('asks');
    await client.close();
    await listener?.close(0);
    const events = named('tools/call asks').flatMap((span) => span.events.map(({ name }) => name));
    expect(events.includes('input_required')).toBe(!isRequest);
    expect(named('elicitation/create')).toHaveLength(isRequest ? 2 : 0);
    if (!isRequest) return;
    // The question propagates the trace to the handler of the client.
    const [asked, answered] = [SpanKind.CLIENT, SpanKind.SERVER].map((kind) => one('elicitation/create', kind));
    const around = [asked, answered, one('answering', SpanKind.INTERNAL)].map(
      (span) => span?.parentSpanContext?.spanId,
    );
    const call = one('tools/call asks', SpanKind.SERVER);
    expect(around).toEqual([call, asked, answered].map((span) => span?.spanContext().spanId));
  },
);

test('a host traces only acts that its gate permitted', async () => {
  const { server, layers } = observed();
  await using host = createHost({ servers: { observed: server }, policy: [rules.allow({})], layers: [layers.client] });
  await using session = host.session();
  await session.call('observed.echo', { text: 'hi' });
  const sent = one('tools/call echo', SpanKind.CLIENT);
  expect(one('tools/call echo', SpanKind.SERVER).parentSpanContext?.spanId).toBe(sent.spanContext().spanId);
});

test('durations are recorded by method, tool and error type, with limited cardinality', async () => {
  const { server, layers, flush } = observed();
  await using client = await connect(server, { layers: [layers.client] });
  await client.call('echo', { text: 'hi' });
  await client.attempt('refuses');
  for (let n = 0; n < 1_100; n++) await client.attempt(`made up ${n}`).catch(() => undefined);
  await flush();
  const [{ scopeMetrics: [{ metrics = [] } = {}] = [] } = {}] = measured.getMetrics();
  const points =
    metrics.find(({ descriptor }) => descriptor.name === 'mcp.server.operation.duration')?.dataPoints ?? [];
  const tools = new Set(points.map(({ attributes }) => attributes['gen_ai.tool.name']));
  expect(tools.has('echo') && tools.has('_OTHER')).toBe(true);
  expect(tools.size).toBeLessThanOrEqual(1_001);
  const refused = points.find(({ attributes }) => attributes['gen_ai.tool.name'] === 'refuses');
  expect(refused?.attributes).toMatchObject({ 'error.type': 'tool_error', 'mcp.method.name': 'tools/call' });
  expect(metrics.map(({ descriptor }) => descriptor.unit)).toEqual(['s', 's']);
});

interface SessionPoint {
  readonly name: string;
  readonly attributes: object;
  readonly count: number;
  readonly seconds: number;
}

const sessionPoints = (): SessionPoint[] => {
  const { scopeMetrics: [{ metrics = [] } = {}] = [] } = measured.getMetrics().at(-1) ?? {};
  return metrics
    .filter(({ descriptor }) => descriptor.name.endsWith('.session.duration'))
    .flatMap(({ descriptor: { name }, dataPoints }) =>
      dataPoints.map(({ attributes, value }) => {
        const { count, sum } = value as { count: number; sum: number }; // a histogram
        return { name, attributes, count, seconds: sum };
      }),
    )
    .toSorted((a, b) => a.name.localeCompare(b.name));
};

test.each(cases)('the duration of a session of %s over %s is recorded on both sides', async (revision, over) => {
  const time = virtualClock();
  const { server, layers, flush } = observed(time);
  const listener = over === 'http' ? await serveHttp(server, { port: 0 }) : undefined;
  const client = await connect(listener?.url ?? server, { revisions: [revision], layers: [layers.client] });
  await client.call('echo', { text: 'hi' });
  await time.advance(90_000);
  await flush();
  expect(sessionPoints()).toEqual([]);
  await client.close();
  await listener?.close(0);
  await flush();
  const attributes = { 'mcp.protocol.version': revision };
  const hasSessions = findRevision(revision)?.hasSessions === true;
  expect(sessionPoints()).toEqual(
    hasSessions
      ? ['client', 'server'].map((side) => ({
          name: `mcp.${side}.session.duration`,
          ...{ attributes, count: 1, seconds: 90 },
        }))
      : [],
  );
});

test('the duration of a session that the server ends has an error type', async () => {
  const { layers, flush } = observed();
  const fake = new FakeServer({ revision: '2025-11-25' });
  const client = await connect(fake.transport, { layers: [layers.client] });
  const { closed } = fake.line;
  fake.line.die();
  await closed;
  await client.close();
  await flush();
  expect(sessionPoints()).toMatchObject([{ attributes: { 'error.type': 'Error' }, count: 1 }]);
});

test('a version that is not a string fails the handshake, as without telemetry', async () => {
  const { layers } = observed();
  const protocolVersion = { toString: 1, valueOf: 1 };
  const on = { initialize: () => ({ protocolVersion, capabilities: {}, serverInfo: { name: 'x', version: '1' } }) };
  const fake = new FakeServer({ revision: '2025-11-25', on });
  const connecting = connect(fake.transport, { layers: [layers.client] });
  await expect(connecting).rejects.toMatchObject({ code: 'MCP_NO_COMMON_REVISION' });
});

test('a caller’s own trace context is preserved, and an invalid one is ignored', async () => {
  const { server, layers } = observed();
  const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
  await using client = await connect(server, { layers: [layers.client] });
  await client.call('echo', { text: 'hi' }, { meta: { traceparent } });
  expect(one('tools/call echo', SpanKind.SERVER).spanContext().traceId).toBe('a'.repeat(32));
  spans.reset();
  await using plain = await connect(server);
  await plain.request('tools/call', {
    name: 'echo',
    arguments: { text: 'hi' },
    _meta: { tracestate: 'x'.repeat(9_000) },
  });
  expect(one('tools/call echo', SpanKind.SERVER).parentSpanContext).toBeUndefined();
});

test('without a provider, everything works and nothing is recorded', async () => {
  const layers = telemetry();
  const { server } = observed();
  await using client = await connect(use(server, layers.server), { layers: [layers.client] });
  expect((await client.call('echo', { text: 'hi' })).text).toBe('hi');
  expect(trace.getActiveSpan()).toBeUndefined();
});
