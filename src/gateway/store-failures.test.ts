/** Warnings and metrics when the shared store fails. */
import { expect, test } from 'vitest';
import { open } from '../../test/support/raw.ts';
import { createServer, tool } from '../index.ts';
import type { JsonObject } from '../jsonrpc/message.ts';
import { memoryBackend } from '../stores/memory-backend.ts';
import { createGateway } from './gateway.ts';
import type { GatewayMetrics } from './index.ts';
import { gatewayRules } from './policy/gateway-rules.ts';

const shop = createServer({ name: 'shop', version: '1', parts: [tool({ name: 'refund', run: () => 'refunded' })] });
const fail = (): Promise<never> => Promise.reject(new Error('READONLY this is a replica'));

/** The warnings, and the store operations that failed. */
function noted() {
  const warnings: string[] = [];
  const failures: unknown[] = [];
  const count: GatewayMetrics['count'] = (name, labels) => {
    if (name === 'store_failures_total') failures.push(labels);
  };
  const onWarning = (warning: string): void => void warnings.push(warning);
  return { warnings, failures, spec: { metrics: { count, observe: () => undefined }, onWarning } };
}

test('an approval that cannot be checked is rejected, and the reason is warned of once', async () => {
  const { warnings, failures, spec } = noted();
  await using gateway = createGateway({
    ...{ name: 'acme', version: '1', upstreams: { shop }, ...spec },
    ...{ policy: [gatewayRules.ask({})], stateLog: { spend: fail } },
  });
  const caller = await open(gateway, { capabilities: { elicitation: { form: {} } } });
  const call = { name: 'shop__refund' };
  const inputResponses = { policy: { action: 'accept', content: { confirm: true } } };
  for (let at = 0; at < 2; at++) {
    const { requestState } = (await caller.result('tools/call', call)) as JsonObject;
    const error = await caller.error('tools/call', { ...call, inputResponses, requestState });
    expect(error).toMatchObject({ code: -32603, data: { outcome: 'not-sent', retryAfterMs: 1_000 } });
  }
  expect(warnings).toEqual(['The shared store failed (approvals): READONLY this is a replica']);
  expect(failures).toEqual([{ use: 'approvals' }, { use: 'approvals' }]);
});

test('rates that each node counts alone are warned of once, with the reason', async () => {
  const { warnings, failures, spec } = noted();
  const rates = { perPrincipal: { calls: 10, perMs: 60_000 }, store: { take: fail } };
  await using gateway = createGateway({ name: 'acme', version: '1', upstreams: { shop }, ...spec, rates });
  const caller = await open(gateway);
  for (let at = 0; at < 2; at++) await caller.result('tools/call', { name: 'shop__refund' });
  expect(warnings).toEqual(['The shared store failed (rates): READONLY this is a replica']);
  expect(failures).toEqual([{ use: 'rates' }, { use: 'rates' }]);
});

test('a node that other nodes cannot find says why', async () => {
  const { warnings, failures, spec } = noted();
  const { keyed, channel } = memoryBackend();
  const keys = [new Uint8Array(32)];
  const store = { keyed: { ...keyed, put: fail }, channel };
  await using gateway = createGateway({
    ...{ name: 'acme', version: '1', upstreams: { shop }, ...spec },
    ...{ stateKeys: keys, peer: { listen: { port: 0 }, keys, store } },
  });
  await gateway.prepare();
  expect(warnings).toEqual(['The shared store failed (nodes): READONLY this is a replica']);
  expect(failures).toEqual([{ use: 'nodes' }]);
});
