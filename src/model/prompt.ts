/** Prompts and completion, in the newest revision's words. */
import type { Content, Meta, Role } from './content.ts';
import type { Icon } from './icon.ts';

export interface PromptArgument {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly required?: boolean;
}
/** A prompt, as a server lists it. */
export interface Prompt {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly arguments?: readonly PromptArgument[];
  readonly icons?: readonly Icon[];
  readonly _meta?: Meta;
}
/** One message of a prompt. */
export interface PromptMessage {
  readonly role: Role;
  readonly content: Content;
}
export interface GetPromptParams {
  readonly name: string;
  readonly arguments?: Readonly<Record<string, string>>;
}
/** A prompt, filled in. */
export interface GetPromptResult {
  readonly description?: string;
  readonly messages: readonly PromptMessage[];
  readonly _meta?: Meta;
}
/** What an argument belongs to: a prompt by its name, or a template. */
export type CompletionReference =
  | { readonly type: 'ref/prompt'; readonly name: string }
  | { readonly type: 'ref/resource'; readonly uri: string };
export interface CompleteParams {
  readonly ref: CompletionReference;
  readonly argument: { readonly name: string; readonly value: string };
  readonly context?: { readonly arguments?: Readonly<Record<string, string>> };
}
/** Suggestions for the rest of a value. */
export interface Completion {
  /** At most a hundred. */
  readonly values: readonly string[];
  readonly total?: number;
  readonly hasMore?: boolean;
}
