/** `withEnv<Env>()`: the same `tool`, `resource` and `prompt`, whose `ctx.env` has a type of your own. */
import type { InferInput, Schema } from '../schema/index.ts';
import type { PromptPart, ResourcePart, ToolPart } from './part.ts';
import { type PromptSpec, prompt } from './prompt.ts';
import { type ResourceSpec, resource } from './resource.ts';
import { type OutputData, type ToolSpec, tool } from './tool.ts';

/** `tool`, `resource` and `prompt`, whose handlers know the type of `ctx.env`. */
export interface TypedDefiners<Env> {
  tool<const Name extends string, I extends Schema | undefined = undefined, O extends Schema | undefined = undefined>(
    spec: ToolSpec<Name, I, O, Env>,
  ): ToolPart<Name, InferInput<I>, OutputData<O>, Env>;
  resource<const Uri extends string>(spec: ResourceSpec<Uri, Env>): ResourcePart<Uri, Env>;
  prompt<const Name extends string, A extends Schema | undefined = undefined>(
    spec: PromptSpec<Name, A, Env>,
  ): PromptPart<Name, InferInput<A>, Env>;
}

/** Definers for handlers that need something of yours: a database, a configuration. `createServer` then asks for it as `env`. */
export const withEnv = <Env>(): TypedDefiners<Env> => ({ tool, resource, prompt });
