/** The arguments of a tool, from what was given on the command line: named, typed and checked before the tool is called. */
import { McpError } from '../../errors.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import type { Tool } from '../../model/parts.ts';
import { type Checker, foreignChecker, type Issue } from '../../schema/index.ts';
import { badArgument } from '../arguments.ts';
import { callSyntax, describeExpected } from './call-syntax.ts';
import { objectFrom, unknownKey } from './members.ts';
import type { RawArguments } from './read-tool-arguments.ts';
import { SchemaView } from './schema-view.ts';

type WarnUnchecked = (why: string) => void;

/** Throws `MCP_BAD_ARGUMENT`, with the tool's signature. `warn` gets why arguments go unchecked, if they do. */
export async function argumentsFor(tool: Tool, given: RawArguments, warn: WarnUnchecked): Promise<JsonObject> {
  const { view, checker } = readable(tool, warn);
  try {
    const args = given.form === 'object' ? given.object : objectFrom(given.pairs, view);
    checkNames(args, view);
    const issue = await issueIn(args, checker, warn);
    if (issue !== undefined) throw badArgument(issue.path === '' ? 'The arguments' : issue.path, issue.message);
    return args;
  } catch (error) {
    if (!(error instanceof McpError) || error.code !== 'MCP_BAD_ARGUMENT') throw error;
    const { argument = '', why = '' } = error.details as { argument?: string; why?: string };
    throw badArgument(argument, `${why}\n  ${callSyntax(tool.name, view)}`);
  }
}

interface Readable {
  readonly view: SchemaView;
  readonly checker: Checker | undefined;
}

/** What cannot be judged here is judged by the server; and what is too large to be checked is not looked at either. */
function readable({ name, inputSchema }: Tool, warn: WarnUnchecked): Readable {
  try {
    const checker = foreignChecker(inputSchema, `the input of tool "${name}"`, { onWarning: warn });
    return { view: new SchemaView(inputSchema), checker };
  } catch (error) {
    const { code } = unchecked(error, warn);
    return { view: new SchemaView(code === 'MCP_SCHEMA_TOO_COSTLY' ? {} : inputSchema), checker: undefined };
  }
}

async function issueIn(
  args: JsonObject,
  checker: Checker | undefined,
  warn: WarnUnchecked,
): Promise<Issue | undefined> {
  try {
    const checked = await checker?.check(args);
    return checked?.ok === false ? checked.issues[0] : undefined;
  } catch (error) {
    unchecked(error, warn);
    return undefined;
  }
}

/** The schema is what is wrong; everything else is thrown on. */
function unchecked(error: unknown, warn: WarnUnchecked): McpError {
  if (!(error instanceof McpError) || !error.code.startsWith('MCP_SCHEMA_')) throw error;
  warn(`The arguments are not checked before they are sent: ${error.message}`);
  return error;
}

function checkNames(args: JsonObject, view: SchemaView): void {
  for (const key of Object.keys(args))
    if (view.declared(key) === undefined && view.others === undefined) throw unknownKey(key, view);
  for (const key of view.required) {
    if (Object.hasOwn(args, key)) continue;
    const wanted = view.declared(key);
    const said = wanted?.description === undefined ? '' : ` (${wanted.description})`;
    const expected = wanted === undefined ? 'a value' : describeExpected(wanted);
    throw badArgument(`Missing argument "${key}"`, `expected ${expected}${said}`);
  }
}
