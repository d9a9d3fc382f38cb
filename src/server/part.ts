/** The parts of a server: tools, resources and prompts, as values. Several servers can serve the same value. */
import { badDefinition } from '../errors.ts';
import type { JsonObject } from '../jsonrpc/message.ts';
import type { Caller } from '../model/caller.ts';
import type { MirroredHeader } from '../model/mirrored-headers.ts';
import type { CacheHints, Catalogue, Prompt, Resource, ResourceTemplate, Tool } from '../model/parts.ts';
import type { UriTemplate } from '../model/uri-template.ts';
import type { Checker } from '../schema/index.ts';
import type { Context, ResourceListContext } from './context.ts';
import type { TaskSpec } from './tasks/task-options.ts';

/**
 * An object that a handler returns, to send as JSON. Values of interfaces and classes are included, which `Record<string, unknown>` rejects;
 * lists, maps, functions and promises are not.
 */
export type ReturnedObject =
  | Readonly<Record<string, unknown>>
  | (object & { readonly [Symbol.iterator]?: never; readonly call?: never; readonly then?: never });

/** Suggests values for an argument; `others` are the arguments already filled in. */
export type Completer<Env = unknown> = (
  value: string,
  others: Readonly<Record<string, string>>,
  context: ResourceListContext<Env>,
) => readonly string[] | Promise<readonly string[]>;

/** A tool, made by `tool`: an opaque value for `createServer` and `server.add`. `~types` only carries its types; it is absent at run time. */
export interface ToolPart<Name extends string = string, In = unknown, Out = unknown, Env = unknown> {
  readonly kind: 'tool';
  readonly name: Name;
  readonly '~types'?: { readonly name: Name; readonly input: In; readonly output: Out; readonly env: Env };
}

/** A resource, made by `resource`: an opaque value for `createServer` and `server.add`. */
export interface ResourcePart<Uri extends string = string, Env = unknown> {
  readonly kind: 'resource';
  readonly uri: Uri;
  readonly '~types'?: { readonly uri: Uri; readonly env: Env };
}

/** A prompt, made by `prompt`: an opaque value for `createServer` and `server.add`. */
export interface PromptPart<Name extends string = string, Args = unknown, Env = unknown> {
  readonly kind: 'prompt';
  readonly name: Name;
  readonly '~types'?: { readonly name: Name; readonly args: Args; readonly env: Env };
}

/** A set of skills, made by `skills` of `mooring/skills`: an opaque value for `createServer`. */
export interface SkillSet {
  readonly kind: 'skills';
  readonly names: readonly string[];
}

/** Something a server offers: a tool, a resource, a prompt. */
export type Part = ToolPart | ResourcePart | PromptPart;

/** Members of a part that extensions set. */
interface PartExtras {
  /** The extension that a server with this part declares, and its settings. */
  readonly declares?: readonly [id: string, settings: JsonObject];
  /** Whether the tool can run as a task, if the server has tasks. */
  readonly taskSupport?: 'optional' | 'required' | undefined;
  /** Set for a part that is in no list, but can be used by its name or URI. */
  readonly isUnlisted?: true;
  /** Whether lists show the part to a caller; by default to all. Not access control: other callers can still use the part. */
  isListedFor?(caller: Caller): boolean;
  /** Throws if a server with these resources cannot have the part. */
  verify?(resources: ReadonlyMap<string, unknown>): void;
}

/** The internals of a `ToolPart`, as the server uses it. */
export interface DefinedTool<Name extends string = string> extends PartExtras {
  readonly kind: 'tool';
  readonly name: Name;
  readonly definition: Tool;
  /** The scopes that a caller needs. */
  readonly scopes: readonly string[];
  readonly input: Checker | undefined;
  readonly output: Checker | undefined;
  /** The headers that mirror its arguments. */
  readonly mirrored: readonly MirroredHeader[];
  readonly task?: TaskSpec | undefined;
  text(data: unknown): string | undefined;
  run(input: unknown, context: Context<never>): unknown;
}

/** The internals of a `ResourcePart`, as the server uses it. */
export interface DefinedResource<Uri extends string = string> extends PartExtras {
  readonly kind: 'resource';
  readonly uri: Uri;
  readonly definition: Resource | ResourceTemplate;
  readonly template: UriTemplate | undefined;
  readonly scopes: readonly string[];
  readonly mimeType: string | undefined;
  readonly cache: CacheHints;
  readonly complete: ReadonlyMap<string, Completer<never>>;
  /** Returns the resources of a template that are listed. */
  readonly list: ((context: ResourceListContext<never>) => unknown) | undefined;
  read(variables: unknown, context: Context<never>): unknown;
}

/** The internals of a `PromptPart`, as the server uses it. */
export interface DefinedPrompt<Name extends string = string> extends PartExtras {
  readonly kind: 'prompt';
  readonly name: Name;
  readonly definition: Prompt;
  readonly scopes: readonly string[];
  readonly args: Checker | undefined;
  readonly complete: ReadonlyMap<string, Completer<never>>;
  render(args: unknown, context: Context<never>): unknown;
}

export type DefinedPart = DefinedTool | DefinedResource | DefinedPrompt;

/** Casts a part to its internals. Throws for an object that `tool`, `resource` or `prompt` did not create. */
export function openPart(part: ToolPart): DefinedTool;
export function openPart(part: ResourcePart): DefinedResource;
export function openPart(part: PromptPart): DefinedPrompt;
export function openPart(part: Part): DefinedPart;
export function openPart(part: Part): DefinedPart {
  // Callers without TypeScript can pass something that is not an object.
  const given: Partial<DefinedTool> = Object(part);
  if (given.definition && given.scopes) return part as DefinedPart;
  const what = given.name || Object.prototype.toString.call(part);
  throw badDefinition(`The part ${what}`, 'not made by tool(), resource() or prompt()');
}

/** The key of a part among parts of its kind: its name, or its URI. */
export const nameOfPart = (part: Part): string => (part.kind === 'resource' ? part.uri : part.name);

type TypesOf<P> = P extends { readonly '~types'?: infer T } ? NonNullable<T> : never;

/** The catalogue type of a list of parts, for clients that are typed from a server. */
export interface PartsCatalogue<P extends readonly Part[]> extends Catalogue {
  readonly tools: {
    readonly [T in TypesOf<Extract<P[number], ToolPart>> as T['name']]: {
      readonly input: T['input'];
      readonly output: T['output'];
    };
  };
  readonly prompts: {
    readonly [T in TypesOf<Extract<P[number], PromptPart>> as T['name']]: { readonly args: T['args'] };
  };
  readonly resources: Spelled<TypesOf<Extract<P[number], ResourcePart>>['uri']>;
}

/** The URIs that a template matches: `orders://{id}` as `orders://${string}`. */
type Spelled<Uri extends string> = Uri extends `${infer Head}{${string}}${infer Rest}`
  ? `${Head}${string}${Spelled<Rest>}`
  : Uri;

/** The environment that the parts need as `ctx.env`: the intersection of what each of them needs. */
type EnvOf<P> = P extends { readonly '~types'?: { readonly env: infer E } } ? (unknown extends E ? never : E) : never;
type Both<U> = (U extends unknown ? (one: U) => void : never) extends (both: infer I) => void ? I : never;
/** `unknown` if no part needs an environment, so that the compiler's messages do not mention it. */
export type EnvOfParts<P extends readonly Part[]> = [EnvOf<P[number]>] extends [never]
  ? unknown
  : NeedsEnv<Both<EnvOf<P[number]>>>;
interface NeedsEnv<Env> {
  /** What handlers get as `ctx.env`, or a function that creates it for a caller. */
  readonly env: Env | ((caller: EnvCaller) => Env);
}
/** The caller for whom an environment is created. */
export type EnvCaller = Pick<Context, 'auth' | 'caller'>;
