/** What a server author needs, on any runtime; `src/index.ts` makes an entry point of it. */
export { type ErrorCode, type ErrorKind, McpError, RpcError, ToolError } from '../errors.ts';
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
} from '../jsonrpc/message.ts';
export {
  type AuthInfo,
  type Caller,
  type ClientCapabilities,
  type Implementation,
  principalOf,
  type ServerCapabilities,
} from '../model/caller.ts';
export type { Change } from '../model/change.ts';
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
} from '../model/content.ts';
export type { LoggingLevel } from '../model/logging.ts';
export type {
  CacheHints,
  GetPromptResult,
  PromptMessage,
  ReadResourceResult,
  ToolAnnotations,
} from '../model/parts.ts';
export type { CreateMessageParams, CreateMessageResult, Root, SamplingMessage } from '../model/sampling.ts';
export type { StepRecord, StoredTask, TaskHolder, TaskOutcome, TaskStatus, TaskStore } from '../model/task-record.ts';
export { type Clock, systemClock } from '../peer/clock.ts';
export { type Exchange, type Layer, type Link, linkWith } from '../peer/exchange.ts';
export type { StateLog } from '../revisions/asks/seal.ts';
export type { OnceOptions, StepInfo } from '../revisions/contract.ts';
export type { Schema } from '../schema/index.ts';
export { type ChangeBus, memoryChangeBus, type SharedChanges } from './change-bus.ts';
export type { Answer, Context, HttpStream, Visit, VisitAnswer } from './context.ts';
export type { Completer, Part, PromptPart, ResourcePart, SkillSet, ToolPart } from './part.ts';
export { type PromptSpec, prompt } from './prompt.ts';
export { type RateLimit, rateLimit } from './rate-limit.ts';
export { type Reply, reply } from './reply.ts';
export { type ResourceSpec, resource } from './resource.ts';
export { createServer, use } from './server.ts';
export type { Server } from './server-interface.ts';
export type { ErrorReport, ServerSpec } from './settings.ts';
export type { TaskWorker } from './tasks/server-tasks.ts';
export type { ServerTaskOptions, TaskSpec } from './tasks/task-options.ts';
export { type ToolEffects, type ToolSpec, tool } from './tool.ts';
export { type TypedDefiners, withEnv } from './with-env.ts';
