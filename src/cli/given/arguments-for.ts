/** The arguments of a tool, from what was given on the command line: named, typed and checked before the tool is called. */
import { McpError } from '../../errors.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import type { Tool } from '../../model/tool.ts';
import { foreignChecker, type Issue } from '../../schema/index.ts';
import { badArgument } from '../arguments.ts';
import { objectFrom, unknownKey } from './members.ts';
import type { Given } from './read.ts';
import { SchemaView } from './schema-view.ts';
import { expected, signatureOf } from './signature.ts';

/** Throws `MCP_BAD_ARGUMENT`, with the tool's signature. `warn` gets why arguments go unchecked, if they do. */
export async function argumentsFor(tool: Tool, given: Given, warn: (why: string) => void): Promise<JsonObject> {
  const view = new SchemaView(tool.inputSchema);
  try {
    const args = given.form === 'object' ? given.object : objectFrom(given.pairs, view);
    checkNames(args, view);
    await check(args, tool, warn);
    return args;
  } catch (error) {
    if (!(error instanceof McpError) || error.code !== 'MCP_BAD_ARGUMENT') throw error;
    const { argument = '', why = '' } = error.details as { argument?: string; why?: string };
    throw badArgument(argument, `${why}\n  ${signatureOf(tool)}`);
  }
}

function checkNames(args: JsonObject, view: SchemaView): void {
  for (const key of Object.keys(args))
    if (view.declared(key) === undefined && view.others === undefined) throw unknownKey(key, view);
  for (const key of view.required) {
    if (Object.hasOwn(args, key)) continue;
    const wanted = view.declared(key);
    const said = wanted?.description === undefined ? '' : ` (${wanted.description})`;
    throw badArgument(key, `it is missing; expected ${wanted === undefined ? 'a value' : expected(wanted)}${said}`);
  }
}

async function check(args: JsonObject, tool: Tool, warn: (why: string) => void): Promise<void> {
  try {
    const what = `the input of tool "${tool.name}"`;
    const checked = await foreignChecker(tool.inputSchema, what, { onWarning: warn }).check(args);
    if (checked.ok) return;
    const [issue] = checked.issues;
    if (issue !== undefined) throw misfit(issue);
  } catch (error) {
    // What cannot be judged here is judged by the server.
    if (!(error instanceof McpError) || !error.code.startsWith('MCP_SCHEMA_')) throw error;
    warn(`The arguments are not checked before they are sent: ${error.message}`);
  }
}

const misfit = ({ path, message }: Issue): McpError => badArgument(path === '' ? 'The arguments' : path, message);
