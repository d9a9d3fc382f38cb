/** The tools that a model is offered, and what their servers say of how to use them. */
import type { JsonObject } from '../../jsonrpc/message.ts';
import type { Content } from '../../model/content.ts';
import type { ModelBlock, ModelTool } from '../models/model.ts';

/** What a server says of itself; believed by nobody. */
export interface Hint {
  readonly server: string;
  readonly instructions: string;
}

/** What a model wants: an answer that is here already, or a tool to be called, by its name in the catalogue. */
export type ToolIntent =
  | { readonly text: string }
  | { readonly name: string; readonly server: string; readonly arguments: JsonObject };

/** For one turn of the model. */
export interface TurnTools {
  readonly tools: readonly ModelTool[];
  readonly hints: readonly Hint[];
  /** `name` as the model used it. Throws what the model may be told, for instance that there is no such tool. */
  want(name: string, args: JsonObject): Promise<ToolIntent>;
  /** What the model reads of what a tool returned. */
  show(tool: string, content: readonly Content[]): readonly ModelBlock[];
}

export interface Toolbox {
  /** `prompt` is what the tools are wanted for. */
  open(prompt: string, signal: AbortSignal): Promise<TurnTools>;
}
