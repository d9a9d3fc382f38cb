/** The entry point `mooring/client`: connects to servers and calls them. */
export {
  type AttemptResult,
  type CachedRequestOptions,
  type CacheOptions,
  type CallResult,
  type CallToolOptions,
  type Client,
  type ClientLimits,
  type ClientTask,
  type ClientTaskState,
  type CompleteOptions,
  type ConnectionState,
  type ConnectOptions,
  type ElicitHandlers,
  type Extension,
  type FormHandler,
  type FormRequest,
  type Handlers,
  type Listing,
  type Progress,
  type PromptResult,
  type QuestionContext,
  type RawQuestion,
  type RawQuestionHandler,
  type RawRequestOptions,
  type ReadResult,
  type RequestOptions,
  type ResponseCache,
  type RootsSource,
  responseCache,
  type SampleHandler,
  type SampleHandlers,
  type ServerDescription,
  type TaskTicket,
  type Timeouts,
  type UrlHandler,
  type UrlRequest,
  type UrlRequiredHandler,
  type UrlWarning,
  type WaitOptions,
  type Watch,
  type WatchFilter,
} from '../client/index.ts';
export { type ErrorCode, type ErrorKind, McpError, RpcError, ToolError } from '../errors.ts';
export type { JsonObject } from '../jsonrpc/message.ts';
export type { ChallengedRequest, ClientAuth, HeaderFields, HttpAuth, OutgoingRequest } from '../model/auth.ts';
export type { ClientCapabilities, Implementation, ServerCapabilities, ServerFacts } from '../model/caller.ts';
export type { Change, ChangeFilter } from '../model/change.ts';
export type { Content, ResourceContents } from '../model/content.ts';
export type { ElicitResult, FormSchema, FormValue } from '../model/elicitation.ts';
export type { LoggingLevel, LogMessage } from '../model/logging.ts';
export type {
  Catalogue,
  Completion,
  CompletionReference,
  Prompt,
  PromptMessage,
  Resource,
  ResourceTemplate,
  Tool,
  Typed,
} from '../model/parts.ts';
export type { CreateMessageParams, CreateMessageResult, Root, SamplingMessage } from '../model/sampling.ts';
export type { Clock } from '../peer/clock.ts';
export type { Layer, Servable, Transport } from '../peer/exchange.ts';
export { revisionIds } from '../revisions/index.ts';
export type { Command } from '../transport/child.ts';
export type { UrlOptions } from '../transport/http-client/options.ts';
export { connect } from './connect.ts';
export type { Target } from './target.ts';
