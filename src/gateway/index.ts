/** The entry point `mooring/gateway`: many servers behind one. */
export type { UpstreamCredentials, UpstreamQuestions } from './contract.ts';
export { createGateway, type Gateway } from './gateway.ts';
export type {
  CircuitSpec,
  GatewaySpec,
  NameSpec,
  UpstreamIsolation,
  UpstreamLimits,
  UpstreamOptions,
  UpstreamSpec,
  UpstreamTarget,
  UpstreamTimeouts,
  UpstreamTrust,
  ViewMember,
  ViewSelection,
  ViewSpec,
} from './spec.ts';
export type { UpstreamState } from './upstreams/upstream.ts';
