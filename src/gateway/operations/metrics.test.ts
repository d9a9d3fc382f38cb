/** The Prometheus text format. */
import { expect, test, vi } from 'vitest';
import { soon } from '../../../test/support/soon.ts';
import { connect } from '../../connect/index.ts';
import { createServer, tool } from '../../index.ts';
import { createGateway } from '../gateway.ts';
import { MetricsRegistry } from './metrics.ts';

test('counters, durations and gauges become lines of the Prometheus text format', () => {
  const metrics = new MetricsRegistry();
  metrics.count('calls_total', { upstream: 'shop', outcome: 'answered' });
  metrics.count('calls_total', { upstream: 'shop', outcome: 'answered' }, 2);
  metrics.observe('call_seconds', 0.03, 'shop');
  metrics.observe('call_seconds', 400, 'shop');
  const lines = metrics.text([{ name: 'queue', about: 'Waiting.', values: [{ labels: {}, value: 4 }] }]).split('\n');
  expect(lines).toContain('# TYPE mooring_gateway_calls_total counter');
  expect(lines).toContain('mooring_gateway_calls_total{upstream="shop",outcome="answered"} 3');
  expect(lines).toContain('mooring_gateway_call_seconds_bucket{upstream="shop",le="0.02"} 0');
  expect(lines).toContain('mooring_gateway_call_seconds_bucket{upstream="shop",le="0.05"} 1');
  expect(lines).toContain('mooring_gateway_call_seconds_bucket{upstream="shop",le="+Inf"} 2');
  expect(lines).toContain('mooring_gateway_call_seconds_sum{upstream="shop"} 400.03');
  expect(lines).toContain('mooring_gateway_queue 4');
});

test('a peer that makes up label values fills 1,000 series, and everything after that is counted as _other', () => {
  const metrics = new MetricsRegistry();
  for (let n = 0; n < 5_000; n++) metrics.count('policy_total', { verdict: 'deny', rule: `rule ${n}` });
  const lines = metrics
    .text()
    .split('\n')
    .filter((line) => line.startsWith('mooring_gateway_policy_total{'));
  expect(lines).toHaveLength(1_001);
  expect(lines).toContain('mooring_gateway_policy_total{verdict="_other",rule="_other"} 4000');
});

test('values that look like others together, and long ones that are cut alike, are counted where their labels say', () => {
  const metrics = new MetricsRegistry();
  const count = (upstream: string, outcome: string): void => metrics.count('calls_total', { upstream, outcome });
  for (const [upstream, outcome] of [
    ['a', 'boutcome 1 c'],
    ['aoutcome 1 b', 'c'],
    ['a', 'b'],
    ['a', 'b'],
    ['x'.repeat(2_000), 'b'],
    ['x'.repeat(3_000), 'b'],
  ] as const)
    count(upstream, outcome);
  metrics.count('calls_total', { outcome: 'a', upstream: 'b' });
  const lines = metrics.text().split('\n').slice(2, -1);
  expect(lines.map((line) => line.slice('mooring_gateway_calls_total'.length))).toEqual([
    '{upstream="a",outcome="boutcome 1 c"} 1',
    '{upstream="aoutcome 1 b",outcome="c"} 1',
    '{upstream="a",outcome="b"} 2',
    `{upstream="${'x'.repeat(200)}",outcome="b"} 2`,
    '{outcome="a",upstream="b"} 1',
  ]);
});

test('a label value with a quote or a line end cannot forge a line', () => {
  const metrics = new MetricsRegistry();
  metrics.count('upstream_violations_total', { upstream: 'a"} 1\nx{y="', what: '\\' });
  const [, , line, rest] = metrics.text().split('\n');
  expect(line).toBe('mooring_gateway_upstream_violations_total{upstream="a\\"} 1\\nx{y=\\"",what="\\\\"} 1');
  expect(rest).toBe('');
});

test('calls, their turns and the conversations that they go to are counted where they happen', async () => {
  const metrics = new MetricsRegistry();
  let go: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    go = resolve;
  });
  const wait = tool({ name: 'wait', run: () => gate.then(() => 'done') });
  const server = createServer({ name: 'shop', version: '1', parts: [wait] });
  const openAway = vi.fn(() => Promise.reject(new Error('away')));
  const away = { transport: openAway };
  const upstreams = { shop: { server, limits: { calls: 1 } }, away };
  await using gateway = createGateway({ name: 'acme', version: '1', upstreams, metrics });
  await using client = await connect(gateway);
  const calls = [client.call('shop__wait'), client.call('shop__wait')];
  await soon(() => expect(gateway.upstreams.get('shop')?.calls).toEqual({ open: 1, waiting: 1 }));
  go();
  await Promise.all(calls);
  const lines = metrics.text().split('\n');
  expect(lines).toContain('mooring_gateway_conversations_opened_total{upstream="shop",isolate="lists"} 1');
  expect(openAway).toHaveBeenCalled();
  expect(lines.filter((line) => /opened.*"away"/.test(line))).toEqual([]);
  expect(lines).toContain('mooring_gateway_queue_wait_seconds_count{upstream="shop"} 1');
  expect(lines).toContain('mooring_gateway_calls_total{upstream="shop",outcome="done"} 2');
  expect(lines).toContain('mooring_gateway_call_seconds_count{upstream="shop"} 2');
});
