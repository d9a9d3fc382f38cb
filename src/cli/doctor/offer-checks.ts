/** Checks the lists of a server, the schemas of its tools, and the results of harmless tools. */
import type { Client } from '../../client/index.ts';
import { McpError, messageOf, RpcError, ToolError } from '../../errors.ts';
import { INVALID_PARAMS, isObject, type JsonObject } from '../../jsonrpc/message.ts';
import { MISSING_CAPABILITY } from '../../model/names.ts';
import { printable } from '../../model/printable.ts';
import { isMissingList, type ListKind, listNames, lists, missingListFault } from '../../revisions/decode-lists.ts';
import { findRevision } from '../../revisions/index.ts';
import { foreignChecker } from '../../schema/index.ts';
import { rawItems, UnusableList } from '../offer.ts';
import { countOf } from '../printer.ts';
import {
  type DoctorFinding,
  doctorFault,
  FatalFinding,
  failedFinding,
  passedFinding,
  skippedFinding,
} from './finding.ts';

type CheckedList = Pick<ListKind<JsonObject>, 'kind' | 'capability' | 'method' | 'member' | 'key'>;

export async function listsCheck(
  client: Client,
  signal: AbortSignal,
): Promise<{ readonly findings: readonly DoctorFinding[]; readonly tools: readonly JsonObject[] }> {
  const items: Map<string, readonly JsonObject[]> = new Map();
  let faults: readonly DoctorFinding[] = [];
  for (const list of listNames.map((name): CheckedList => lists[name])) {
    if (client.server.capabilities[list.capability] === undefined) continue;
    try {
      const found = await rawItems(client, list, signal);
      items.set(list.kind, found.filter(isObject));
      faults = faults.concat(itemFaults(found, list));
    } catch (thrown) {
      const failed = listFault(list, thrown);
      if (failed === undefined) items.set(list.kind, []);
      else faults = [...faults, failed];
    }
  }
  const counted = [...items].map(([kind, found]) => countOf(found.length, kindText(kind))).join(', ');
  const findings =
    faults.length > 0 ? faults : [passedFinding('lists', counted === '' ? 'no tools, resources or prompts' : counted)];
  const named = (items.get('tool') ?? []).filter(({ name }) => typeof name === 'string');
  return { findings, tools: named };
}

const kindText = (kind: string): string => (kind === 'template' ? 'resource template' : kind);

/** Undefined if the failure is allowed: a missing templates list. */
function listFault({ method }: CheckedList, thrown: unknown): DoctorFinding | undefined {
  const why = reasonOf(thrown);
  if (thrown instanceof McpError && thrown.code === 'MCP_TOO_LARGE') throw new FatalFinding('lists', 'too-large', why);
  const unknown = isMissingList(thrown);
  if (unknown && missingListFault(method) === undefined) return undefined;
  const failed = doctorFault(
    'list-failed',
    `${method}: ${why}`,
    unknown
      ? `implement ${method} on the server, or stop advertising ${method.split('/', 1)[0]}`
      : `read the log of the server; it advertises ${method.split('/', 1)[0]}, so ${method} must work`,
  );
  // The server responded with an error, so the connection still works and the other checks can run.
  if (thrown instanceof RpcError || thrown instanceof UnusableList) return failedFinding('lists', failed);
  throw new FatalFinding('lists', failed);
}

const reasonOf = (thrown: unknown): string => printable(messageOf(thrown).slice(0, 300));

function itemFaults(items: readonly unknown[], { method, key }: CheckedList): readonly DoctorFinding[] {
  const names = new Set<string>();
  return items.flatMap((item, at) => {
    const name = isObject(item) ? item[key] : undefined;
    if (typeof name !== 'string')
      return failedFinding(
        'lists',
        'malformed-item',
        `${method}: item ${at + 1} has no "${key}"`,
        `add "${key}" to this item; clients leave it out otherwise`,
      );
    if (names.has(name))
      return failedFinding(
        'lists',
        'duplicate-name',
        `${method}: "${printable(name)}" appears twice`,
        `change one of them; each "${key}" must be unique within a server`,
      );
    names.add(name);
    return [];
  });
}

export function schemasCheck(tools: readonly JsonObject[], revision: string): readonly DoctorFinding[] {
  const anyOutput = findRevision(revision)?.vocabulary.structuredContent === 'anything';
  const found = tools.flatMap((tool) => [
    ...schemaFaults(tool, 'inputSchema', true),
    ...(tool['outputSchema'] === undefined ? [] : schemaFaults(tool, 'outputSchema', !anyOutput)),
  ]);
  return found.some(({ holds }) => !holds)
    ? found
    : [passedFinding('schemas', `${countOf(tools.length, 'tool')} checked`), ...found];
}

function schemaFaults(
  tool: JsonObject,
  member: 'inputSchema' | 'outputSchema',
  ofObject: boolean,
): readonly DoctorFinding[] {
  const schema = tool[member];
  const what = `the ${member} of tool "${printable(String(tool['name']))}"`;
  const bad = (found: string, fix: string): DoctorFinding[] => [
    failedFinding('schemas', { fault: 'bad-schema', found, fix }),
  ];
  if (!isObject(schema)) return bad(`${what} is missing, or is not an object`, ofObject ? ROOT : DIALECT);
  if (ofObject && schema['type'] !== 'object') return bad(`${what} has no "type": "object" at its root`, ROOT);
  try {
    foreignChecker(schema, what);
    return [];
  } catch (thrown) {
    // Exceeds a limit of this library, not a rule of the protocol.
    if (thrown instanceof McpError && thrown.code === 'MCP_SCHEMA_TOO_COSTLY')
      return [
        passedFinding(
          'schemas',
          `${reasonOf(thrown)}; clients with the same limit do not validate against this schema`,
        ),
      ];
    return bad(reasonOf(thrown), DIALECT);
  }
}

const DIALECT = 'correct the schema; clients expect JSON Schema 2020-12';
const ROOT = 'write JSON Schema 2020-12 with "type": "object" at its root; clients reject the tool otherwise';

/** Each call can take until the timeout. */
const MAX_CALLS = 16;

/** Calls only tools that are marked read-only, have an output schema and require no arguments; at most 16 of them. */
export async function resultsCheck(
  client: Client,
  tools: readonly JsonObject[],
  signal: AbortSignal,
): Promise<readonly DoctorFinding[]> {
  const harmless = tools.filter(isHarmless);
  const callable = harmless.filter(({ outputSchema }) => isObject(outputSchema)).map(({ name }) => String(name));
  if (callable.length === 0) {
    const why = 'no read-only tool without required arguments';
    return [skippedFinding('results', harmless.length === 0 ? why : `${why} has an output schema`)];
  }
  const called = callable.slice(0, MAX_CALLS);
  const found: DoctorFinding[] = [];
  for (const name of called) {
    const result = await client.call(name, {}, { signal }).then(
      () => undefined,
      (thrown: unknown) => resultFinding(printable(name), thrown),
    );
    signal.throwIfAborted();
    if (result !== undefined) found.push(result);
  }
  if (found.some(({ holds }) => !holds)) return found;
  const which = callable.length > MAX_CALLS ? `the first ${MAX_CALLS} of ${callable.length} such tools: ` : '';
  return [passedFinding('results', `called ${which}${called.map(printable).join(', ')}`), ...found];
}

function isHarmless({ annotations, inputSchema }: JsonObject): boolean {
  const reads = isObject(annotations) && annotations['readOnlyHint'] === true;
  const required = isObject(inputSchema) ? inputSchema['required'] : undefined;
  return reads && !(Array.isArray(required) && required.length > 0);
}

function capabilitiesIn({ data }: RpcError): string {
  const required = isObject(data) ? data['requiredCapabilities'] : undefined;
  const names = isObject(required) ? Object.keys(required) : [];
  return names.length === 0 ? 'a capability of its client' : printable(names.join(', ').slice(0, 100));
}

function resultFinding(name: string, thrown: unknown): DoctorFinding {
  const message = reasonOf(thrown);
  if (thrown instanceof McpError && thrown.code === 'MCP_OUTPUT_MISMATCH')
    return failedFinding('results', 'output-mismatch', message);
  // The call had no meaningful arguments, so an error can be correct.
  if (thrown instanceof ToolError) return passedFinding('results', `${name} returns an error: ${message}`);
  if (thrown instanceof RpcError && thrown.code === INVALID_PARAMS)
    return passedFinding('results', `${name} requires arguments: ${message}`);
  if (thrown instanceof RpcError && thrown.code === MISSING_CAPABILITY)
    return passedFinding('results', `${name} asks for ${capabilitiesIn(thrown)}, which doctor does not offer`);
  return failedFinding('results', 'tool-failed', `${name} fails: ${message}`);
}
