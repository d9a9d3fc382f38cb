/** The exports of the client, which works over any transport. */
export { type CacheOptions, type ResponseCache, responseCache } from './cache.ts';
export type { Client } from './client.ts';
export type { ConnectionState } from './connection.ts';
export type {
  ElicitHandlers,
  FormHandler,
  FormRequest,
  Handlers,
  QuestionContext,
  RawQuestion,
  RawQuestionHandler,
  RootsSource,
  SampleHandler,
  SampleHandlers,
  UrlHandler,
  UrlRequest,
  UrlRequiredHandler,
  UrlWarning,
} from './handlers.ts';
export type { Listing } from './listing.ts';
export { openClient } from './open-client.ts';
export type { ClientLimits, ConnectOptions, Extension, Timeouts } from './options.ts';
export type { CallToolOptions, Progress, RawRequestOptions, RequestOptions } from './outgoing-call.ts';
export type { ClientTask, ClientTaskState, TaskTicket, WaitOptions } from './tasks/task.ts';
export { toProgress } from './tasks/task-states.ts';
export type {
  AttemptResult,
  CachedRequestOptions,
  CallResult,
  CompleteOptions,
  PromptResult,
  ReadResult,
  ServerDescription,
  WatchFilter,
} from './types.ts';
export type { Watch } from './watch.ts';
