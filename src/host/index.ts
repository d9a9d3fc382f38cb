/** The entry point `mooring/host`: many servers, one policy, the user's consent. */
export type {
  AttemptResult,
  PromptResult,
  ReadResult,
  RequestOptions,
  Timeouts,
} from '../client/index.ts';
export { type ErrorCode, type ErrorKind, McpError, RpcError, ToolError } from '../errors.ts';
export type {
  DisplayMode,
  ViewBridge,
  ViewContext,
  ViewEnd,
  ViewPort,
  ViewSize,
  ViewState,
} from '../extensions/apps/bridge-types.ts';
export type { ViewPermission, ViewSettings } from '../extensions/apps/view-policy.ts';
export type { SkillCache, SkillCacheKey } from '../extensions/skills/skill-cache.ts';
export type { JsonObject } from '../jsonrpc/message.ts';
export type { ClientAuth } from '../model/auth.ts';
export type { ElicitResult, FormSchema, FormValue } from '../model/elicitation.ts';
export type { Clock } from '../peer/clock.ts';
export type { Act, ActEffects, ActKind, DefinitionStatus, SkillInUse } from './act/act.ts';
export type { BudgetWindow, CountedActs, Decision, PolicyHistory, Rule, Verdict } from './act/rule.ts';
export type { ToolResult } from './act/tool-result.ts';
export type { AgentDone, AgentRun } from './agent/agent-run.ts';
export type { AgentEvent, RunLimit } from './agent/events.ts';
export type { RunOptions } from './agent/run.ts';
export type { RunInput, SessionPrompt } from './agent/run-input.ts';
export type { AppsOptions, ConnectViewOptions, DownloadedFile, ShownCall, View } from './apps/app-types.ts';
export type { Audit, AuditRecord, RuleCount } from './audit/audit.ts';
export type { AnchorInterval, AuditAnchor } from './audit/audit-anchor.ts';
export type { AuditKey, Checkpoint } from './audit/hash-chain.ts';
export { type MemoryAudit, memoryAudit } from './audit/memory-audit.ts';
export { type NdjsonAudit, type NdjsonAuditOptions, ndjsonAudit } from './audit/ndjson-audit.ts';
export {
  type AuditVerdict,
  type ReadAuditOptions,
  readAudit,
  type VerifyOptions,
  verifyAudit,
} from './audit/verify-audit.ts';
export type { ListingProblem } from './catalogue/catalogue.ts';
export type { CatalogueTool } from './catalogue/catalogue-tool.ts';
export type {
  CatalogueInstructions,
  CataloguePrompt,
  CatalogueResource,
  CatalogueTemplate,
  CatalogueView,
  ToolsOptions,
} from './catalogue/catalogue-view.ts';
export { type ExportedTools, exportTools, type ToolFormat } from './catalogue/export.ts';
export type { CatalogueItem, ItemKind } from './catalogue/item.ts';
export type { ResourceInterest } from './catalogue/resource-order.ts';
export type { ResultPage, Results } from './catalogue/results.ts';
export { labelFor } from './config/labels.ts';
export { type ConfigReport, fromConfig, listsServers, readConfig } from './config/read-config.ts';
export type {
  CommandSource,
  ConfigInput,
  ConfigOrigin,
  ConfigSecret,
  ConfigTemplate,
  ConfigText,
  ServerSource,
  UrlSource,
} from './config/source.ts';
export { writeConfig } from './config/write-config.ts';
export type { ConfigChange } from './config/write-entry.ts';
export { type Approval, type ApprovalStore, memoryApprovals, type RememberedApprovals } from './consent/approvals.ts';
export type { Consent, ConsentAnswer, ConsentFunction, ConsentQuestion } from './consent/consent.ts';
export { fileApprovals } from './consent/file-approvals.ts';
export { fileInbox } from './consent/file-inbox.ts';
export {
  type Inbox,
  type InboxOptions,
  type InboxQuestion,
  type InboxStore,
  inboxConsent,
} from './consent/inbox-consent.ts';
export { type TerminalOptions, terminalConsent } from './consent/terminal-consent.ts';
export { createHost } from './create-host.ts';
export type { Host, HostEnvironment, HostOptions } from './host.ts';
export { bestIcon, type IconPlace } from './icons/best-icon.ts';
export { type CheckedIcon, checkedIcon, type IconImage, type IconOptions } from './icons/checked-icon.ts';
export { anthropic } from './models/anthropic.ts';
export type {
  Model,
  ModelBlock,
  ModelMessage,
  ModelOptions,
  ModelReply,
  ModelRequest,
  ModelTool,
  ModelTraits,
} from './models/model.ts';
export { openai } from './models/openai.ts';
export type { ProviderOptions } from './models/provider.ts';
export { type ScriptedModel, type ScriptedReply, type ScriptLine, scriptedModel } from './models/scripted.ts';
export type { ActMatch, ArgumentPattern } from './policy/act-match.ts';
export { decidePolicy } from './policy/decide-policy.ts';
export { type PolicyChange, type Rehearsal, rehearse, type Undecidable } from './policy/rehearse.ts';
export { type BudgetLimits, type FlowOptions, rules } from './policy/rules.ts';
export type { FormQuestion, QuestionHandler, UrlVisit } from './questions/question-handler.ts';
export type { SamplingLimits } from './questions/sampling.ts';
export type { ServerRequestOptions } from './questions/server-requests.ts';
export type { ShownRoots } from './questions/server-roots.ts';
export { terminalQuestions } from './questions/terminal-questions.ts';
export { bubblewrap, type SandboxGrant } from './servers/bubblewrap.ts';
export type { FollowedConfig, HostServers, ServerChange } from './servers/host-servers.ts';
export type { HealthOptions } from './servers/maintenance.ts';
export type { ConnectedServer, ManagedServer, ServerState } from './servers/managed-server.ts';
export type { Sandbox, SandboxedCommand } from './servers/sandbox.ts';
export type { InputSource, LookupContext, SecretSource } from './servers/text-resolver.ts';
export type { Session, SessionCompleteOptions, SessionOptions } from './session.ts';
export type { ListedSkill, SessionSkill } from './skills/session-skill.ts';
export { fileTickets } from './tasks/file-tickets.ts';
export type { HostTask, StartedTask } from './tasks/host-task.ts';
export type { HostTicket, TicketStore } from './tasks/tickets.ts';
export { inspect, type TextFinding, warningsIn } from './text/inspect.ts';
export type { Oddity } from './text/oddities.ts';
