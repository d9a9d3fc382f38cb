/** `prompt({...})` defines a prompt: one or more messages that a user can start from. */
import { badDefinition } from '../errors.ts';
import { defined, isObject, isPromise, type JsonObject } from '../jsonrpc/message.ts';
import type { GetPromptResult, Prompt, PromptArgument, PromptMessage } from '../model/parts.ts';
import {
  acceptsText,
  type Checker,
  checker,
  type InferInput,
  type InferOutput,
  objectSchema,
  type Schema,
  type SingleSchema,
} from '../schema/index.ts';
import type { Context } from './context.ts';
import {
  completeFault,
  completersOf,
  describedBy,
  type MemberNames,
  notObject,
  type PartSpec,
  partFault,
  partMembers,
} from './definition.ts';
import type { Completer, DefinedPrompt, PromptPart } from './part.ts';

export type RenderedPrompt = string | readonly PromptMessage[] | GetPromptResult;

/** Makes the compiler reject an argument that cannot be text, because the protocol passes only text to prompts. */
type Textual<A> = true extends { [K in keyof InferInput<A>]-?: CannotBeText<InferInput<A>[K]> }[keyof InferInput<A>]
  ? 'Arguments of prompts arrive as text. Use z.coerce.number() and the like'
  : unknown;
type CannotBeText<T> = unknown extends T ? false : [Extract<T, string>] extends [never] ? true : false;

/** The definition of a prompt. */
export interface PromptSpec<Name extends string, A extends Schema | undefined, Env> extends PartSpec {
  readonly name: Name;
  /** Arguments arrive as strings: use coercing schemas for anything else. */
  readonly args?: A & SingleSchema<A> & Textual<A>;
  /** Suggestions for the arguments. */
  readonly complete?: { readonly [K in keyof InferInput<A>]?: Completer<Env> };
  render(args: InferOutput<A>, context: Context<Env>): RenderedPrompt | Promise<RenderedPrompt>;
}

const members: MemberNames<PromptSpec<string, undefined, unknown>> = {
  name: 1,
  args: 'argsSchema arguments',
  complete: 1,
  render: 'run load',
  ...partMembers,
};

/** Defines a prompt: a text, or messages, that a user can start from, with arguments. */
export function prompt<const Name extends string, A extends Schema | undefined = undefined, Env = unknown>(
  spec: PromptSpec<Name, A, Env>,
): PromptPart<Name, InferInput<A>, Env> {
  if (!isObject(spec)) throw badDefinition('prompt({ name, render })', notObject);
  const what = `prompt "${spec.name}"`;
  const args =
    spec.args === undefined ? undefined : checker(spec.args, { what: `the arguments of ${what}`, side: 'input' });
  const listed = args === undefined ? [] : argumentsOf(args.jsonSchema);
  const names = listed.map(({ name }) => name);
  const none = !spec.name ? 'a prompt needs a name' : undefined;
  const fault =
    none ??
    partFault(spec, members, 'render') ??
    completeFault(spec.complete, names) ??
    (args && argumentFault(args, spec.args, what));
  if (fault !== undefined) throw badDefinition(what, fault);
  const made: DefinedPrompt<Name> = {
    kind: 'prompt',
    name: spec.name,
    definition: defined<Prompt>({
      name: spec.name,
      ...describedBy(spec),
      arguments: listed.length === 0 ? undefined : listed,
    }),
    scopes: spec.scopes ?? [],
    args,
    complete: completersOf(spec.complete),
    // The checker returns values of the schema's output type.
    render: (value, context) => spec.render(value as InferOutput<A>, context),
  };
  return made;
}

/** A prompt's arguments are the properties of its schema. */
function argumentsOf(schema: JsonObject): PromptArgument[] {
  const properties = (schema['properties'] ?? {}) as Readonly<Record<string, { title?: string; description?: string }>>; // an object schema
  const required = (schema['required'] ?? []) as readonly string[]; // likewise
  return Object.entries(properties).map(([name, { title, description }]) =>
    defined<PromptArgument>({ name, title, description, required: required.includes(name) }),
  );
}

/** Probes for schemas that convert text: a number, a boolean, a date, and an empty text. */
const samples = ['1', 'true', '2026-07-28T00:00:00Z', ''];

/** Finds an argument that can never be given: arguments arrive as text, and its schema accepts no text. */
function argumentFault(args: Checker, given: object | undefined, what: string): string | undefined {
  const { properties, ...root } = objectSchema(args.jsonSchema, `the arguments of ${what}`);
  const doubtful = Object.entries(isObject(properties) ? properties : {}).filter(
    ([, schema]) => !acceptsText(schema, { properties, ...root }),
  );
  const bad = doubtful.find(
    ([name]) => !('~standard' in (given ?? {})) || samples.every((text) => rejectsText(args, name, text)),
  );
  return (
    bad && `the argument "${bad[0]}" can never be given, because arguments of prompts are text; use z.coerce.number()`
  );
}

/** Whether a library's schema certainly rejects this text. */
function rejectsText(args: Checker, name: string, text: string): boolean {
  try {
    const checked = args.check({ [name]: text });
    if (!isPromise(checked)) return !checked.ok && checked.issues.some(({ path }) => path === name);
    Promise.resolve(checked).catch(() => undefined);
  } catch {
    // An exception is not a certain rejection: the schema did examine the text.
  }
  return false;
}
