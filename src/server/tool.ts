/** `tool({...})`: something a model may call. */
import { badDefinition } from '../errors.ts';
import { defined, isObject } from '../jsonrpc/message.ts';
import type { AudioContent, Content, ImageContent } from '../model/content.ts';
import { headerFault } from '../model/mirrored-headers.ts';
import type { CallToolResult, Tool, ToolAnnotations, ToolExecution } from '../model/parts.ts';
import {
  checker,
  type InferInput,
  type InferOutput,
  type ObjectSchema,
  objectSchema,
  type Schema,
  type SingleSchema,
} from '../schema/index.ts';
import type { Context } from './context.ts';
import {
  describedBy,
  type MemberNames,
  notObject,
  numberFault,
  type PartSpec,
  partFault,
  partMembers,
} from './definition.ts';
import type { DefinedTool, ToolPart } from './part.ts';
import type { Reply } from './reply.ts';
import type { TaskSpec } from './tasks/task-options.ts';

/** What calling it does to the world. */
export type ToolEffects = 'read' | 'write' | 'destructive';
const toolEffects: readonly unknown[] = ['read', 'write', 'destructive'];

/** A picture or sound as bytes, which Mooring encodes. */
type MediaBytes = Omit<ImageContent | AudioContent, 'data'> & { readonly data: Uint8Array };

/** What a tool without an output schema may return: anything that reads well, or a result in the protocol's own form. */
type PlainValue =
  | string
  | CallToolResult
  | Content
  | readonly (Content | MediaBytes)[]
  | Readonly<Record<string, unknown>>
  | Reply<unknown>;
/** What is returned without an output schema; a text, because the compiler shows it when something else is returned. */
type NoOutput = 'text, content, an object or nothing; declare "output" to return anything else';
/** Data as the schema says, or a `reply` with its own text. A union: one condition for all would hide from the compiler that `'text'` in a block is a literal. */
type Returned<D> = ReturnedValue<D> | Promise<ReturnedValue<D>>;
type ReturnedValue<D> =
  | (PlainValue & (D extends NoOutput ? unknown : never))
  // biome-ignore lint/suspicious/noConfusingVoidType: a function without a return statement returns it
  | (D extends NoOutput ? void : D | Reply<D>);

/** Plain JSON Schema may describe any value, and says nothing to the compiler. */
type OutputInput<O> = O extends { readonly '~standard': unknown } ? InferInput<O> : unknown;
export type OutputData<O> = [O] extends [undefined]
  ? undefined
  : O extends { readonly '~standard': unknown }
    ? InferOutput<O>
    : unknown;

/** What a tool is made of. With `output`, what it returns is data of that shape; without, it says something. */
export interface ToolSpec<Name extends string, I extends Schema | undefined, O extends Schema | undefined, Env>
  extends PartSpec {
  readonly name: Name;
  readonly input?: I & SingleSchema<I> & ObjectSchema<I>;
  /** What calling it does to the world. */
  readonly effects?: 'read' | 'write' | 'destructive';
  /** Calling it again with the same arguments changes nothing more. */
  readonly idempotent?: boolean;
  /** It reaches beyond this server: the web, other people. */
  readonly openWorld?: boolean;
  readonly execution?: ToolExecution;
  /** Lets it run as a task, which clients poll: `'required'` rejects callers without tasks, and a spec says more. */
  readonly task?: true | 'required' | TaskSpec;
  readonly output?: O & SingleSchema<O>;
  /** The result as a person or a model reads it; without it, JSON. */
  text?(data: OutputData<O>): string;
  run(input: InferOutput<I>, context: Context<Env>): Returned<[O] extends [undefined] ? NoOutput : OutputInput<O>>;
}

const members: MemberNames<ToolSpec<string, undefined, undefined, unknown>> = {
  // In the order in which an error lists them.
  name: 1,
  input: 'parameters inputSchema',
  output: 'outputSchema',
  run: 'handler execute',
  effects: 'annotations',
  idempotent: 1,
  openWorld: 1,
  execution: 1,
  task: 1,
  text: 1,
  ...partMembers,
};

/** Defines a tool: something a model may call, with its input checked before `run` sees it. */
export function tool<
  const Name extends string,
  I extends Schema | undefined = undefined,
  O extends Schema | undefined = undefined,
  Env = unknown,
>(spec: ToolSpec<Name, I, O, Env>): ToolPart<Name, InferInput<I>, OutputData<O>, Env> {
  if (!isObject(spec)) throw badDefinition('tool({ name, run })', notObject);
  const what = `tool "${spec.name}"`;
  const input =
    spec.input === undefined ? undefined : checker(spec.input, { what: `the input of ${what}`, side: 'input' });
  const output =
    spec.output === undefined ? undefined : checker(spec.output, { what: `the output of ${what}`, side: 'output' });
  const fault =
    nameFault(spec.name) ?? partFault(spec, members, 'run') ?? specFault(spec) ?? headerFault(input?.jsonSchema ?? {});
  if (fault !== undefined) throw badDefinition(what, fault);
  const definition = defined<Tool>({
    name: spec.name,
    ...describedBy(spec),
    // A tool that takes nothing says so.
    inputSchema:
      input === undefined
        ? { type: 'object', additionalProperties: false }
        : objectSchema(input.jsonSchema, `the input of ${what}`),
    outputSchema: output?.jsonSchema,
    annotations: annotationsOf(spec),
    execution: spec.execution,
  });
  const made: DefinedTool<Name> = {
    kind: 'tool',
    name: spec.name,
    definition,
    scopes: spec.scopes ?? [],
    input,
    output,
    task: spec.task,
    taskSupport: spec.task && (isTaskNeeded(spec.task) ? 'required' : 'optional'),
    // The checkers give `text` and `run` what their schemas promise, so the types of the spec hold.
    text: (data) => spec.text?.(data as OutputData<O>),
    run: (value, context) => spec.run(value as InferOutput<I>, context),
  };
  return made;
}

const isTaskNeeded = (task: true | 'required' | TaskSpec): boolean =>
  task === 'required' || (task !== true && task.required === true);

/** For callers without the compiler. */
function specFault({
  effects = 'read',
  text,
  output,
  task = {},
}: {
  effects?: unknown;
  text?: unknown;
  output?: unknown;
  task?: true | 'required' | TaskSpec;
}): string | undefined {
  if (!toolEffects.includes(effects)) return `"effects" must be one of ${toolEffects.join(', ')}`;
  // Without an output schema, what is returned is the text.
  if (text && !output) return '"text" needs "output"';
  return numberFault('task.', Object(task));
}

/** Letters, digits, `_`, `-` and `.`, at most 128 of them: what the big clients accept. */
function nameFault(name: unknown): string | undefined {
  return typeof name === 'string' && /^[\w.-]{1,128}$/.test(name)
    ? undefined
    : 'a tool name has 1 to 128 letters, digits, "_", "-" or "."';
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
