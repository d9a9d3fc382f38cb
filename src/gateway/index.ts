/** The entry point `mooring/gateway`: serves many servers as one. */
export type { Audit, AuditRecord } from '../host/audit/audit.ts';
export type { GatewayCounters, GatewayMetrics, RateStore, UpstreamCredentials, UpstreamQuestions } from './contract.ts';
export { type CallerTokens, callerTokens, type MakeCredentials } from './credentials/caller-tokens.ts';
export { createGateway, type Gateway } from './gateway.ts';
export type { GatewayRates } from './policy/caller-rates.ts';
export type { GatewayAuditRecord, GatewayAuditSettings } from './policy/gateway-audit.ts';
export type { LockSpec } from './policy/gateway-lock.ts';
export type { ClaimPattern, GatewayArgument, GatewayMatch } from './policy/gateway-match.ts';
export {
  type CallLimit,
  type DenyOptions,
  type GatewayBudget,
  type GatewayRule,
  gatewayRules,
} from './policy/gateway-rules.ts';
export type {
  CircuitSpec,
  GatewaySpec,
  NameSpec,
  PeerSpec,
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
