/** Converts command-line arguments to the types of a tool's schema, and validates them. */
import { McpError } from '../../errors.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import type { Tool } from '../../model/parts.ts';
import { type Checker, foreignChecker, type Issue } from '../../schema/index.ts';
import { ArgumentFaults } from './argument-faults.ts';
import { callSyntax, describeExpectedValue } from './call-syntax.ts';
import { objectFrom, unknownKey } from './members.ts';
import type { RawArguments } from './read-tool-arguments.ts';
import { SchemaView } from './schema-view.ts';

type WarnUnchecked = (why: string) => void;

/** Throws `MCP_BAD_ARGUMENT` with the call syntax. `warn` gets the reason if the arguments cannot be validated. */
export async function argumentsFor(tool: Tool, given: RawArguments, warn: WarnUnchecked): Promise<JsonObject> {
  const { view, checker } = readSchema(tool, warn);
  const faults = new ArgumentFaults();
  const args = given.form === 'object' ? given.object : objectFrom(given.pairs, view, faults);
  const named = new Set(given.form === 'object' ? [] : given.pairs.map(({ key }) => key.split('.', 1)[0] ?? ''));
  checkNames(args, view, faults, named);
  faults.throwIfAny(callSyntax(tool.name, view));
  for (const { path, message } of await issuesIn(args, checker, warn))
    faults.add(path === '' ? 'The arguments' : path, message);
  faults.throwIfAny(callSyntax(tool.name, view));
  return args;
}

/** Without a checker if the schema is unsupported; the server validates then. A too large schema is not used for conversion either. */
function readSchema(
  { name, inputSchema }: Tool,
  warn: WarnUnchecked,
): { view: SchemaView; checker: Checker | undefined } {
  try {
    const checker = foreignChecker(inputSchema, `the input of tool "${name}"`, warn);
    return { view: new SchemaView(inputSchema), checker };
  } catch (error) {
    const { code } = warnUnchecked(error, warn);
    return { view: new SchemaView(code === 'MCP_SCHEMA_TOO_COSTLY' ? {} : inputSchema), checker: undefined };
  }
}

async function issuesIn(
  args: JsonObject,
  checker: Checker | undefined,
  warn: WarnUnchecked,
): Promise<readonly Issue[]> {
  try {
    const checked = await checker?.check(args);
    return checked?.ok === false ? checked.issues : [];
  } catch (error) {
    warnUnchecked(error, warn);
    return [];
  }
}

/** Warns if the schema is at fault. Rethrows other errors. */
function warnUnchecked(error: unknown, warn: WarnUnchecked): McpError {
  if (!(error instanceof McpError) || !error.code.startsWith('MCP_SCHEMA_')) throw error;
  warn(`The arguments are not checked before they are sent: ${error.message}`);
  return error;
}

/** Reports unknown and missing arguments. `named` are all given keys, including invalid ones. */
function checkNames(args: JsonObject, view: SchemaView, faults: ArgumentFaults, named: ReadonlySet<string>): void {
  for (const key of Object.keys(args))
    faults.collect(() => {
      if (view.declared(key) === undefined && view.others === undefined) throw unknownKey(key, view);
    });
  for (const key of view.required) {
    if (Object.hasOwn(args, key) || named.has(key)) continue;
    const wanted = view.declared(key);
    const said = wanted?.description === undefined ? '' : ` (${wanted.description})`;
    const expected = wanted === undefined ? 'a value' : describeExpectedValue(wanted);
    faults.add(`Missing argument "${key}"`, `expected ${expected}${said}`);
  }
}
