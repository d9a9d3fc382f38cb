/** Asking the client's model for a message, and for the folders the user opened. Both are deprecated by the newest revision. */
import type { JsonObject } from '../jsonrpc/message.ts';
import type { AudioContent, Content, ImageContent, Meta, Role, TextContent } from './content.ts';
import type { Tool } from './tool.ts';

export interface ToolUseContent {
  readonly type: 'tool_use';
  readonly id: string;
  readonly name: string;
  readonly input: JsonObject;
  readonly _meta?: Meta;
}
export interface ToolResultContent {
  readonly type: 'tool_result';
  readonly toolUseId: string;
  readonly content: readonly Content[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
  readonly _meta?: Meta;
}
export type SamplingContent = TextContent | ImageContent | AudioContent | ToolUseContent | ToolResultContent;
/** One turn of the conversation that a model is given. */
export interface SamplingMessage {
  readonly role: Role;
  readonly content: SamplingContent | readonly SamplingContent[];
  readonly _meta?: Meta;
}
export interface ModelPreferences {
  readonly hints?: readonly { readonly name?: string }[];
  readonly costPriority?: number;
  readonly speedPriority?: number;
  readonly intelligencePriority?: number;
}
/** What a server asks of the client's model. */
export interface CreateMessageParams {
  readonly messages: readonly SamplingMessage[];
  readonly maxTokens: number;
  readonly modelPreferences?: ModelPreferences;
  readonly systemPrompt?: string;
  /**
   * @deprecated but for `none` (SEP-2596); the earliest removal is that of sampling (SEP-2577). Leave it out: nothing of
   * the conversation is included then.
   */
  readonly includeContext?: 'none' | 'thisServer' | 'allServers';
  readonly temperature?: number;
  readonly stopSequences?: readonly string[];
  readonly metadata?: JsonObject;
  readonly tools?: readonly Tool[];
  readonly toolChoice?: { readonly mode?: 'auto' | 'required' | 'none' };
}
/** What the client's model answered. */
export interface CreateMessageResult extends SamplingMessage {
  readonly model: string;
  /** `endTurn`, `stopSequence`, `maxTokens`, `toolUse`, or a word of the provider's own. */
  readonly stopReason?: string;
}

/** A folder or file that the user opened. */
export interface Root {
  /** Always `file://`. */
  readonly uri: string;
  readonly name?: string;
  readonly _meta?: Meta;
}
