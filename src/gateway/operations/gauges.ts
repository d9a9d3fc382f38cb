/** The gauges of `/metrics`, read from the current state. */
import { VERSION } from '../../model/names.ts';
import type { GatewayServer } from '../gateway.ts';
import type { UpstreamState } from '../upstreams/upstream.ts';
import type { Gauge } from './metrics.ts';

/** 0: closed, 1: half-open, 2: open. */
const circuitNumbers: Readonly<Record<UpstreamState['circuit'], number>> = { closed: 0, trying: 1, open: 2 };

export function gatewayGauges({ upstreams, state }: GatewayServer): readonly Gauge[] {
  const all = [...upstreams.values()];
  const each = (name: string, about: string, of: (upstream: UpstreamState) => number): Gauge => ({
    name,
    about,
    values: all.map((one) => ({ labels: { upstream: one.label }, value: of(one) })),
  });
  return [
    { name: 'build_info', about: 'The version that runs.', values: [{ labels: { version: VERSION }, value: 1 }] },
    {
      name: 'waiting_calls',
      about: 'Calls that wait for an answer.',
      values: [{ labels: {}, value: state.bridge.waiting }],
    },
    {
      name: 'withheld',
      about: 'Parts of upstreams that callers of a view do not see.',
      values: [...state.views].map(([view, { withheld }]) => ({ labels: { view }, value: withheld.length })),
    },
    each('upstream_up', 'Whether the upstream is connected.', (one) => (one.state === 'ready' ? 1 : 0)),
    each('circuit_state', '0 takes calls, 1 tries one, 2 takes none.', (one) => circuitNumbers[one.circuit]),
    each('conversations', 'Open conversations with the upstream.', (one) => one.conversations),
    each('calls_open', 'Calls to the upstream that run.', (one) => one.calls.open),
    each('queue', 'Calls that wait for their turn.', (one) => one.calls.waiting),
  ];
}
