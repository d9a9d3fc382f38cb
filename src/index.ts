/** The entry point `mooring`: for authors of servers, on any runtime. */
export { type ErrorCode, type ErrorKind, McpError, RpcError, ToolError } from './errors.ts';
export {
  failure,
  type Id,
  isRequest,
  type JsonObject,
  type Message,
  type RpcNotification,
  type RpcRequest,
  type RpcResponse,
  success,
} from './jsonrpc/message.ts';
export type { Authenticator, AuthRejection, AuthRequest } from './model/auth.ts';
export {
  type AuthInfo,
  type Caller,
  type ClientCapabilities,
  type Implementation,
  principalOf,
  type ServerCapabilities,
} from './model/caller.ts';
export type { Change } from './model/change.ts';
export type {
  Annotations,
  AudioContent,
  Content,
  EmbeddedResource,
  Icon,
  ImageContent,
  ResourceContents,
  ResourceLink,
  TextContent,
} from './model/content.ts';
export type { LoggingLevel } from './model/logging.ts';
export type {
  CacheHints,
  GetPromptResult,
  PromptMessage,
  ReadResourceResult,
  ToolAnnotations,
} from './model/parts.ts';
export type { CreateMessageParams, CreateMessageResult, Root, SamplingMessage } from './model/sampling.ts';
export type {
  StepRecord,
  StoredTask,
  TaskHolder,
  TaskLimits,
  TaskOutcome,
  TaskStatus,
  TaskStore,
} from './model/task-record.ts';
export { type Clock, systemClock } from './peer/clock.ts';
export { type Exchange, type Layer, type Link, linkWith } from './peer/exchange.ts';
export type { StateLog } from './revisions/asks/seal.ts';
export type { OnceOptions, StepInfo } from './revisions/contract.ts';
export type { Schema } from './schema/index.ts';
export { type ChangeBus, memoryChangeBus, type SharedChanges } from './server/change-bus.ts';
export type { Answer, Context, HttpStream, ResourceListContext, Visit, VisitAnswer } from './server/context.ts';
export type { Completer, Part, PromptPart, ResourcePart, SkillSet, ToolPart } from './server/part.ts';
export { type PromptSpec, prompt } from './server/prompt.ts';
export { type RateLimit, rateLimit } from './server/rate-limit.ts';
export { type Reply, reply } from './server/reply.ts';
export { type ListedResource, type ResourceSpec, resource } from './server/resource.ts';
export { createServer, use } from './server/server.ts';
export type { Server } from './server/server-interface.ts';
export type { ErrorReport, ServerSpec } from './server/settings.ts';
export type { TaskWorker } from './server/tasks/server-tasks.ts';
export type { ServerTaskOptions, TaskSpec } from './server/tasks/task-options.ts';
export { type ToolEffects, type ToolSpec, tool } from './server/tool.ts';
export { type TypedDefiners, withEnv } from './server/with-env.ts';
export type { EventLog, LoggedEvent } from './transport/http/event-log.ts';
export { type HttpHandler, httpHandler } from './transport/http/handler.ts';
export type { HttpOptions } from './transport/http/http-settings.ts';
export type { EndedSessions, SealedSessionSpec } from './transport/http/sealed-session-spec.ts';
export type { PutOptions, SessionStore, StoredSession, VersionedSession } from './transport/http/session-store.ts';
