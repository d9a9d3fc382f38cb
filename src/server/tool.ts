/** `tool({...})` defines a tool: a function that a model can call. */
import { badDefinition } from '../errors.ts';
import { defined, isObject } from '../jsonrpc/message.ts';
import type { AudioContent, Content, ImageContent } from '../model/content.ts';
import { headerFault, mirroredHeadersIn } from '../model/mirrored-headers.ts';
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
  strayFault,
} from './definition.ts';
import type { DefinedTool, ReturnedObject, ToolPart } from './part.ts';
import type { Reply } from './reply.ts';
import type { TaskSpec } from './tasks/task-options.ts';

/** The side effects of a tool. */
export type ToolEffects = 'read' | 'write' | 'destructive';
const toolEffects: readonly unknown[] = ['read', 'write', 'destructive'];

/** An image or audio block with bytes, which Mooring encodes as base64. */
type MediaBytes = Omit<ImageContent | AudioContent, 'data'> & { readonly data: Uint8Array };

/** What a tool without an output schema can return: text, content, an object, or a result in the protocol's own form. */
type PlainValue =
  | string
  | CallToolResult
  | Content
  | readonly (Content | MediaBytes)[]
  | ReturnedObject
  | Reply<unknown>;
/** Marks a tool without an output schema. The type is a text, because the compiler shows it if `run` returns anything else. */
type NoOutput = 'text, content, an object or nothing; declare "output" to return anything else';
/** Data that matches the schema, or a `reply`. A union of conditional types: with a single one, the compiler would not infer `'text'` in a block as a literal. */
type Returned<D> = ReturnedValue<D> | Promise<ReturnedValue<D>>;
type ReturnedValue<D> =
  | (PlainValue & (D extends NoOutput ? unknown : never))
  // biome-ignore lint/suspicious/noConfusingVoidType: a function without a return statement returns it
  | (D extends NoOutput ? void : D | Reply<D>);

/** `unknown` for plain JSON Schema, which can describe any value and carries no types. */
type OutputInput<O> = O extends { readonly '~standard': unknown } ? InferInput<O> : unknown;
export type OutputData<O> = [O] extends [undefined]
  ? undefined
  : O extends { readonly '~standard': unknown }
    ? InferOutput<O>
    : unknown;

/** The definition of a tool. With `output`, `run` returns data that matches it; without, text or content. */
export interface ToolSpec<Name extends string, I extends Schema | undefined, O extends Schema | undefined, Env>
  extends PartSpec {
  readonly name: Name;
  readonly input?: I & SingleSchema<I> & ObjectSchema<I>;
  /** The side effects of a call. */
  readonly effects?: 'read' | 'write' | 'destructive';
  /** Another call with the same arguments has no further effect. */
  readonly idempotent?: boolean;
  /** The tool reaches beyond this server: the web, other people. */
  readonly openWorld?: boolean;
  readonly execution?: ToolExecution;
  /** Lets the tool run as a task, which clients poll. `'required'` rejects clients without tasks; a `TaskSpec` has more settings. */
  readonly task?: true | 'required' | TaskSpec;
  readonly output?: O & SingleSchema<O>;
  /** Renders the result as text for users and models; JSON by default. */
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

/** Defines a tool: a function that a model can call. Its input is checked before `run` gets it. */
export function tool<
  const Name extends string,
  I extends Schema | undefined = undefined,
  O extends Schema | undefined = undefined,
  Env = unknown,
>(spec: ToolSpec<Name, I, O, Env>): ToolPart<Name, InferInput<I>, OutputData<O>, Env> {
  if (!isObject(spec)) throw badDefinition('tool({ name, run })', notObject);
  const what = `tool "${spec.name}"`;
  const task = taskSpecOf(spec.task);
  const input =
    spec.input === undefined ? undefined : checker(spec.input, { what: `the input of ${what}`, side: 'input' });
  const output =
    spec.output === undefined ? undefined : checker(spec.output, { what: `the output of ${what}`, side: 'output' });
  const fault =
    nameFault(spec.name) ??
    partFault(spec, members, 'run') ??
    specFault(spec, task) ??
    headerFault(input?.jsonSchema ?? {});
  if (fault !== undefined) throw badDefinition(what, fault);
  const definition = defined<Tool>({
    name: spec.name,
    ...describedBy(spec),
    // A tool without input declares that it takes no arguments.
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
    mirrored: mirroredHeadersIn(definition.inputSchema),
    task,
    taskSupport: task && (task.required ? 'required' : 'optional'),
    // The checkers return values of the schemas' output types, so the types of the spec hold.
    text: (data) => spec.text?.(data as OutputData<O>),
    run: (value, context) => spec.run(value as InferOutput<I>, context),
  };
  return made;
}

const taskMembers: MemberNames<TaskSpec> = {
  required: 1,
  begins: 1,
  runMs: 1,
  askMs: 1,
  keepMs: 1,
  pollMs: 1,
  resume: 1,
};

/** The settings that a short form stands for. */
const taskSpecOf = (task: true | 'required' | TaskSpec | undefined): TaskSpec | undefined =>
  task === true ? {} : task === 'required' ? { required: true } : task;

/** Why a spec is invalid, for callers without TypeScript. */
function specFault(
  {
    effects = 'read',
    text,
    output,
  }: {
    effects?: unknown;
    text?: unknown;
    output?: unknown;
  },
  task: TaskSpec = {},
): string | undefined {
  if (!toolEffects.includes(effects)) return `"effects" must be one of ${toolEffects.join(', ')}`;
  // Without an output schema, the returned value is the text.
  if (text && !output) return '"text" needs "output"';
  return strayFault(task, taskMembers) ?? numberFault('task.', task);
}

/** Checks a name: letters, digits, `_`, `-` and `.`, at most 128 of them, which the big clients accept. */
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
