/** The door `mooring/host`: many servers, one policy, the user's consent. */
export type { AttemptResult, PromptResult, ReadResult, RequestOptions, Timeouts } from '../client/index.ts';
export { type ErrorCode, type ErrorKind, McpError, RpcError, ToolError } from '../errors.ts';
export type { JsonObject } from '../jsonrpc/message.ts';
export type { ClientAuth } from '../model/auth.ts';
export type { Clock } from '../peer/clock.ts';
export type { Act, ActKind, Effects, Standing } from './act.ts';
export type { Approval, ApprovalStore } from './approvals.ts';
export type { Audit, AuditRecord, RuleCount } from './audit.ts';
export { type ConfigReport, fromConfig, readConfig } from './config/read-config.ts';
export { type ConfigChange, writeConfig } from './config/write-config.ts';
export type { Consent, ConsentAnswer, ConsentFunction, ConsentQuestion } from './consent.ts';
export { createHost, type Host, type HostOptions } from './host.ts';
export type { ManagedServer, ServerState } from './managed-server.ts';
export type { Counted, Decision, History, Rule, Verdict, Window } from './rule.ts';
export { type BudgetLimits, type FlowOptions, rules } from './rules.ts';
export type { ArgumentPattern, Match } from './rules-match.ts';
export type { HealthOptions } from './servers/health.ts';
export type {
  CommandSource,
  ConfigInput,
  ConfigOrigin,
  Secret,
  ServerSource,
  Template,
  Text,
  UrlSource,
} from './servers/source.ts';
export type { Asking, InputSource, SecretSource } from './servers/texts.ts';
export type { CompleteOptions, Session, SessionOptions, ToolResult } from './session.ts';
