/** `tool({...})`: something a model may call. */
import { McpError } from '../errors.ts';
import { defined } from '../jsonrpc/message.ts';
import type { Content } from '../model/content.ts';
import { headerFault } from '../model/mirrored-headers.ts';
import type { CallToolResult, Tool, ToolAnnotations, ToolExecution } from '../model/parts.ts';
import {
  checker,
  type InferInput,
  type InferOutput,
  objectSchema,
  type Schema,
  type SingleSchema,
} from '../schema/index.ts';
import type { Context } from './context.ts';
import { type PartSpec, partFault } from './definition.ts';
import type { DefinedTool, ToolPart } from './part.ts';
import type { Reply } from './reply.ts';

/** What calling it does to the world. */
export type ToolEffects = 'read' | 'write' | 'destructive';

/** What a tool without an output schema may return: anything that reads well, or a result in the protocol's own form. */
export type ToolReturnValue =
  | string
  | CallToolResult
  | Content
  | readonly Content[]
  | Readonly<Record<string, unknown>>
  | Reply<unknown>
  | undefined;

interface ToolSpecBase<Name extends string, I extends Schema | undefined> extends PartSpec {
  readonly name: Name;
  readonly title?: string;
  readonly description?: string;
  readonly input?: I & SingleSchema<I>;
  readonly effects?: ToolEffects;
  /** Calling it again with the same arguments changes nothing more. */
  readonly idempotent?: boolean;
  /** It reaches beyond this server: the web, other people. */
  readonly openWorld?: boolean;
  readonly execution?: ToolExecution;
}
/** A tool that returns data of a declared shape. */
export interface ToolSpec<Name extends string, I extends Schema | undefined, O extends Schema, Env>
  extends ToolSpecBase<Name, I> {
  readonly output: O & SingleSchema<O>;
  /** The result as a person or a model reads it; without it, JSON. */
  text?(data: OutputData<O>): string;
  run(input: InferOutput<I>, context: Context<Env>): ToolReturn<O> | Promise<ToolReturn<O>>;
}
/** What the schema says, or a `reply` with its own text. */
type ToolReturn<O extends Schema> = OutputInput<O> | Reply<OutputInput<O>>;

/** Plain JSON Schema may describe any value, and says nothing to the compiler. */
type OutputInput<O> = O extends { readonly '~standard': unknown } ? InferInput<O> : unknown;
export type OutputData<O> = O extends { readonly '~standard': unknown } ? InferOutput<O> : unknown;

/** A tool that says something. */
export interface PlainToolSpec<Name extends string, I extends Schema | undefined, Env> extends ToolSpecBase<Name, I> {
  readonly output?: undefined;
  run(input: InferOutput<I>, context: Context<Env>): ToolReturnValue | Promise<ToolReturnValue>;
}

// Two signatures: only a return type without type parameters lets the compiler read `'text'` in a block as the literal it is.
/** Defines a tool: something a model may call, with its input checked before `run` sees it. */
export function tool<const Name extends string, I extends Schema | undefined = undefined, Env = unknown>(
  spec: PlainToolSpec<Name, I, Env>,
): ToolPart<Name, InferInput<I>, undefined, Env>;
export function tool<
  const Name extends string,
  O extends Schema,
  I extends Schema | undefined = undefined,
  Env = unknown,
>(spec: ToolSpec<Name, I, O, Env>): ToolPart<Name, InferInput<I>, OutputData<O>, Env>;
export function tool<Name extends string, I extends Schema | undefined, O extends Schema, Env>(
  spec: ToolSpec<Name, I, O, Env> | PlainToolSpec<Name, I, Env>,
): ToolPart<Name> {
  const what = `tool "${spec.name}"`;
  const input =
    spec.input === undefined ? undefined : checker(spec.input, { what: `the input of ${what}`, side: 'input' });
  const output =
    spec.output === undefined ? undefined : checker(spec.output, { what: `the output of ${what}`, side: 'output' });
  const annotations = annotationsOf(spec);
  const fault = nameFault(spec.name) ?? partFault(spec) ?? headerFault(input?.jsonSchema ?? {});
  if (fault !== undefined) throw new McpError('MCP_BAD_DEFINITION', { what, why: fault });
  const definition = defined<Tool>({
    name: spec.name,
    title: spec.title,
    description: spec.description,
    // A tool that takes nothing says so.
    inputSchema:
      input === undefined
        ? { type: 'object', additionalProperties: false }
        : objectSchema(input.jsonSchema, `the input of ${what}`),
    outputSchema: output?.jsonSchema,
    annotations,
    execution: spec.execution,
    icons: spec.icons,
    _meta: spec.meta,
  });
  const made: DefinedTool<Name> = {
    kind: 'tool',
    name: spec.name,
    definition,
    scopes: spec.scopes ?? [],
    input,
    output,
    // The checkers give `text` and `run` what their schemas promise, so the types of the spec hold.
    text: (data) => ('text' in spec ? spec.text?.(data as OutputData<O>) : undefined),
    run: (value, context) => spec.run(value as InferOutput<I>, context),
  };
  return made;
}

/** Letters, digits, `_`, `-` and `.`, at most 128 of them: what the big clients accept. */
function nameFault(name: string): string | undefined {
  return /^[\w.-]{1,128}$/.test(name)
    ? undefined
    : 'a tool name has 1 to 128 characters, each a letter, a digit, "_", "-" or "."';
}

function annotationsOf(spec: {
  readonly effects?: ToolEffects;
  readonly idempotent?: boolean;
  readonly openWorld?: boolean;
}): ToolAnnotations | undefined {
  const { effects, idempotent, openWorld } = spec;
  const annotations = defined<ToolAnnotations>({
    readOnlyHint: effects && effects === 'read',
    destructiveHint: effects && effects === 'destructive',
    idempotentHint: effects === 'read' ? (idempotent ?? true) : idempotent,
    openWorldHint: openWorld,
  });
  return Object.keys(annotations).length === 0 ? undefined : annotations;
}
