/** A model as a host uses it: messages and tools in, one message out, streamed where the provider can. */
import type { JsonObject } from '../../jsonrpc/message.ts';

/** `_meta` comes back as a model or a server gave it, for what is kept under it, such as a cache. */
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

/** A tool as a model is told of it. */
export interface ModelTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
}

/** What a model is asked: the conversation so far, and what it may use. */
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

/** Who listens while a model answers, and may call it off. */
export interface ModelOptions {
  readonly signal?: AbortSignal | undefined;
  /** Hears the text as it comes. */
  readonly onText?: ((text: string) => void) | undefined;
}

/** What a model is known by and good at, each between 0 and 1, for servers that state preferences. */
export interface ModelTraits {
  readonly name: string;
  readonly cost?: number;
  readonly speed?: number;
  readonly intelligence?: number;
}

/** A provider of models, or anything that answers like one. */
export interface Model {
  /** The models behind this one address, the default first. */
  readonly models: readonly ModelTraits[];
  reply(request: ModelRequest, options?: ModelOptions): Promise<ModelReply>;
}
