/** The `Model` interface: messages and tools in, one message out, streamed if the provider supports it. */
import type { JsonObject } from '../../jsonrpc/message.ts';

/** A part of a message. `_meta` is returned unchanged to the model or server that set it, for example for its cache. */
export type ModelBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image' | 'audio'; readonly data: string; readonly mimeType: string }
  | {
      readonly type: 'tool_use';
      readonly id: string;
      readonly name: string;
      readonly input: JsonObject;
      readonly _meta?: JsonObject;
    }
  | {
      readonly type: 'tool_result';
      readonly toolUseId: string;
      readonly content: readonly ModelBlock[];
      readonly isError?: boolean;
      readonly _meta?: JsonObject;
    };

/** One turn of a conversation with a model. */
export interface ModelMessage {
  readonly role: 'user' | 'assistant';
  readonly content: readonly ModelBlock[];
}

/** A tool definition for a model. */
export interface ModelTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
}

/** A request to a model: the conversation so far, the tools, and limits. */
export interface ModelRequest {
  readonly model: string;
  readonly system?: string | undefined;
  readonly messages: readonly ModelMessage[];
  readonly tools?: readonly ModelTool[] | undefined;
  readonly toolChoice?: 'auto' | 'required' | 'none' | undefined;
  readonly maxTokens: number;
  readonly temperature?: number | undefined;
  readonly stopSequences?: readonly string[] | undefined;
}

/** The model's turn, and why it ended. */
export interface ModelReply {
  readonly model: string;
  readonly content: readonly ModelBlock[];
  readonly stopReason: 'endTurn' | 'stopSequence' | 'maxTokens' | 'toolUse' | (string & {});
  readonly usage?: { readonly inputTokens: number; readonly outputTokens: number } | undefined;
}

/** Cancellation and streaming of one request to a model. */
export interface ModelOptions {
  readonly signal?: AbortSignal | undefined;
  /** Receives the text as it is streamed. */
  readonly onText?: ((text: string) => void) | undefined;
}

/** A model's name, and ratings from 0 to 1 for servers with preferences: 1 is the cheapest, fastest or most capable model. */
export interface ModelTraits {
  readonly name: string;
  readonly cost?: number;
  readonly speed?: number;
  readonly intelligence?: number;
}

/** A provider of models, or anything that replies like one. */
export interface Model {
  /** The provider's models, the default first. */
  readonly models: readonly ModelTraits[];
  reply(request: ModelRequest, options?: ModelOptions): Promise<ModelReply>;
}
