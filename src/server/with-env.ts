/** `withEnv<Env>()`: `tool`, `resource` and `prompt` with a typed `ctx.env`. */
import type { InferInput, Schema } from '../schema/index.ts';
import type { PromptPart, ResourcePart, ToolPart } from './part.ts';
import { type PromptSpec, prompt } from './prompt.ts';
import { type ResourceSpec, resource } from './resource.ts';
import { type OutputData, type ToolSpec, tool } from './tool.ts';

/** `tool`, `resource` and `prompt`, for handlers whose `ctx.env` is an `Env`. */
export interface TypedDefiners<Env> {
  tool<const Name extends string, I extends Schema | undefined = undefined, O extends Schema | undefined = undefined>(
    spec: ToolSpec<Name, I, O, Env>,
  ): ToolPart<Name, InferInput<I>, OutputData<O>, Env>;
  resource<const Uri extends string>(spec: ResourceSpec<Uri, Env>): ResourcePart<Uri, Env>;
  prompt<const Name extends string, A extends Schema | undefined = undefined>(
    spec: PromptSpec<Name, A, Env>,
  ): PromptPart<Name, InferInput<A>, Env>;
}

/** Definers for handlers with dependencies, such as a database or a configuration. `createServer` then requires them as `env`. */
export const withEnv = <Env>(): TypedDefiners<Env> => ({ tool, resource, prompt });
