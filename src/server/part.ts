/** What a server is made of: tools, resources and prompts, as values. One value may be served many times at once. */
import { badDefinition } from '../errors.ts';
import type { JsonObject } from '../jsonrpc/message.ts';
import type { Caller } from '../model/caller.ts';
import type { CacheHints, Catalogue, Prompt, Resource, ResourceTemplate, Tool } from '../model/parts.ts';
import type { UriTemplate } from '../model/uri-template.ts';
import type { Checker } from '../schema/index.ts';
import type { Context, ResourceListContext } from './context.ts';
import type { TaskSpec } from './tasks/task-options.ts';

/** Suggests values for an argument; `others` are the arguments already filled in. */
export type Completer = (
  value: string,
  others: Readonly<Record<string, string>>,
) => readonly string[] | Promise<readonly string[]>;

/** What `tool` makes: an opaque value for `createServer` and `server.add`. Its types travel in a member that is absent at run time. */
export interface ToolPart<Name extends string = string, In = unknown, Out = unknown, Env = unknown> {
  readonly kind: 'tool';
  readonly name: Name;
  readonly '~types'?: { readonly name: Name; readonly input: In; readonly output: Out; readonly env: Env };
}

/** What `resource` makes: an opaque value for `createServer` and `server.add`. */
export interface ResourcePart<Uri extends string = string, Env = unknown> {
  readonly kind: 'resource';
  readonly uri: Uri;
  readonly '~types'?: { readonly uri: Uri; readonly env: Env };
}

/** What `prompt` makes: an opaque value for `createServer` and `server.add`. */
export interface PromptPart<Name extends string = string, Args = unknown, Env = unknown> {
  readonly kind: 'prompt';
  readonly name: Name;
  readonly '~types'?: { readonly name: Name; readonly args: Args; readonly env: Env };
}

/** What `skills` of `mooring/skills` makes: an opaque value for `createServer`. */
export interface SkillSet {
  readonly kind: 'skills';
  readonly names: readonly string[];
}

/** Something a server offers: a tool, a resource, a prompt. */
export type Part = ToolPart | ResourcePart | PromptPart;

/** What extensions add to a part. */
interface PartExtras {
  /** The extension that a server with this part declares, and its settings. */
  readonly declares?: readonly [id: string, settings: JsonObject];
  /** Whether it can run as a task, where the server has tasks. */
  readonly taskSupport?: 'optional' | 'required' | undefined;
  /** Can be used by its name or URI, and is in no list. */
  readonly isUnlisted?: true;
  /** Which callers find it in a list; all of them by default. The others can use it too: hiding is not guarding. */
  isListedFor?(caller: Caller): boolean;
  /** Throws if a server made of these resources cannot have it. */
  verify?(resources: ReadonlyMap<string, unknown>): void;
}

/** A tool as the server uses it: the inside of a `ToolPart`. */
export interface DefinedTool<Name extends string = string> extends PartExtras {
  readonly kind: 'tool';
  readonly name: Name;
  readonly definition: Tool;
  /** What a caller must be allowed to. */
  readonly scopes: readonly string[];
  readonly input: Checker | undefined;
  readonly output: Checker | undefined;
  readonly task?: true | 'required' | TaskSpec | undefined;
  text(data: unknown): string | undefined;
  run(input: unknown, context: Context<never>): unknown;
}

/** A resource as the server uses it: the inside of a `ResourcePart`. */
export interface DefinedResource<Uri extends string = string> extends PartExtras {
  readonly kind: 'resource';
  readonly uri: Uri;
  readonly definition: Resource | ResourceTemplate;
  readonly template: UriTemplate | undefined;
  readonly scopes: readonly string[];
  readonly mimeType: string | undefined;
  readonly cache: CacheHints;
  readonly complete: ReadonlyMap<string, Completer>;
  /** Of a template: the resources that are listed. */
  readonly list: ((context: ResourceListContext<never>) => unknown) | undefined;
  read(variables: unknown, context: Context<never>): unknown;
}

/** A prompt as the server uses it: the inside of a `PromptPart`. */
export interface DefinedPrompt<Name extends string = string> extends PartExtras {
  readonly kind: 'prompt';
  readonly name: Name;
  readonly definition: Prompt;
  readonly scopes: readonly string[];
  readonly args: Checker | undefined;
  readonly complete: ReadonlyMap<string, Completer>;
  render(args: unknown, context: Context<never>): unknown;
}

export type DefinedPart = DefinedTool | DefinedResource | DefinedPrompt;

/** Opens a part. `tool`, `resource` and `prompt` make nothing else; an object of another origin has no definition. */
export function openPart(part: ToolPart): DefinedTool;
export function openPart(part: ResourcePart): DefinedResource;
export function openPart(part: PromptPart): DefinedPrompt;
export function openPart(part: Part): DefinedPart;
export function openPart(part: Part): DefinedPart {
  // What is not an object comes from callers without the compiler.
  const given: Partial<DefinedTool> = Object(part);
  if (given.definition && given.scopes) return part as DefinedPart;
  const what = given.name || Object.prototype.toString.call(part);
  throw badDefinition(`The part ${what}`, 'not made by tool(), resource() or prompt()');
}

/** The name a part is known by within its kind. */
export const nameOfPart = (part: Part): string => (part.kind === 'resource' ? part.uri : part.name);

type TypesOf<P> = P extends { readonly '~types'?: infer T } ? NonNullable<T> : never;

/** The catalogue of a list of parts, for clients that are typed from a server. */
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

/** `orders://{id}` as the strings it stands for. */
type Spelled<Uri extends string> = Uri extends `${infer Head}{${string}}${infer Rest}`
  ? `${Head}${string}${Spelled<Rest>}`
  : Uri;

/** What the parts need as `ctx.env`, all together. */
type EnvOf<P> = P extends { readonly '~types'?: { readonly env: infer E } } ? (unknown extends E ? never : E) : never;
type Both<U> = (U extends unknown ? (one: U) => void : never) extends (both: infer I) => void ? I : never;
/** Nothing at all where no part needs an environment, so that the compiler's messages do not speak of it. */
export type EnvOfParts<P extends readonly Part[]> = [EnvOf<P[number]>] extends [never]
  ? unknown
  : NeedsEnv<Both<EnvOf<P[number]>>>;
interface NeedsEnv<Env> {
  /** What handlers get as `ctx.env`, or a function that makes it for a caller. */
  readonly env: Env | ((caller: EnvCaller) => Env);
}
/** What an environment may be built from. */
export type EnvCaller = Pick<Context, 'auth' | 'caller'>;
