/** What a server offers: whether its lists can be read, its schemas be used, and its results are what they promise. */
import type { Client } from '../../client/index.ts';
import { McpError, ToolError } from '../../errors.ts';
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import { printable } from '../../model/printable.ts';
import { foreignChecker } from '../../schema/index.ts';
import { type Finding, failing, Hopeless, holding } from './finding.ts';

const lists = [
  { capability: 'tools', method: 'tools/list', member: 'tools', key: 'name', word: 'tool' },
  { capability: 'resources', method: 'resources/list', member: 'resources', key: 'uri', word: 'resource' },
  {
    capability: 'resources',
    method: 'resources/templates/list',
    member: 'resourceTemplates',
    key: 'uriTemplate',
    word: 'template',
  },
  { capability: 'prompts', method: 'prompts/list', member: 'prompts', key: 'name', word: 'prompt' },
] as const;
const MAX_PAGES = 64;

export interface Listed {
  readonly findings: readonly Finding[];
  readonly tools: readonly JsonObject[];
}

export async function listsCheck(client: Client): Promise<Listed> {
  const items: Map<string, readonly JsonObject[]> = new Map();
  const faults: Finding[] = [];
  for (const list of lists) {
    if (client.server.capabilities[list.capability] === undefined) continue;
    const found = await pages(client, list);
    items.set(list.word, found.filter(isObject));
    faults.push(...itemFaults(found, list));
  }
  const counted = [...items].map(([word, found]) => counting(found, word)).join(', ');
  const findings = faults.length > 0 ? faults : [holding('lists', counted === '' ? 'it offers nothing' : counted)];
  const named = (items.get('tool') ?? []).filter(({ name }) => typeof name === 'string');
  return { findings, tools: named };
}

const counting = ({ length }: readonly unknown[], word: string): string =>
  `${length} ${word}${length === 1 ? '' : 's'}`;

/** As they come: the client's own lists leave out what is malformed or there twice. */
async function pages(client: Client, { method, member }: (typeof lists)[number]): Promise<readonly unknown[]> {
  const all: unknown[] = [];
  let cursor: unknown;
  for (let page = 0; page < MAX_PAGES; page++) {
    const result = await client
      .request(method, cursor === undefined ? {} : { cursor })
      .catch((thrown: unknown) => Promise.reject(listFault(method, thrown)));
    const items = result[member];
    if (!Array.isArray(items)) throw listFault(method, new Error(`"${member}" is no list`));
    all.push(...items);
    cursor = result['nextCursor'] ?? undefined;
    if (cursor === undefined) return all;
  }
  throw listFault(method, new Error(`it has no end: there are more than ${MAX_PAGES} pages`));
}

function listFault(method: string, thrown: unknown): Error {
  const why = printable((thrown instanceof Error ? thrown.message : String(thrown)).slice(0, 300));
  if (thrown instanceof McpError && thrown.code === 'MCP_TOO_LARGE')
    return new Hopeless('lists', {
      fault: 'too-large',
      found: why,
      fix: 'have it send less at once: lists come in pages',
    });
  return new Hopeless('lists', {
    fault: 'list-failed',
    found: `${method}: ${why}`,
    fix: `it says that it offers this, so it must answer ${method}: look at its log`,
  });
}

function itemFaults(items: readonly unknown[], { method, key }: (typeof lists)[number]): readonly Finding[] {
  const names = new Set<string>();
  return items.flatMap((item, at) => {
    const name = isObject(item) ? item[key] : undefined;
    if (typeof name !== 'string')
      return failing('lists', {
        fault: 'malformed-item',
        found: `${method}: item ${at + 1} has no "${key}"`,
        fix: 'clients leave it out: have the server name it',
      });
    if (names.has(name))
      return failing('lists', {
        fault: 'duplicate-name',
        found: `${method}: "${printable(name)}" is there twice`,
        fix: 'names are unique within a server: rename one of them',
      });
    names.add(name);
    return [];
  });
}

export function schemasCheck(tools: readonly JsonObject[]): readonly Finding[] {
  const faults = tools.flatMap((tool) => [
    ...schemaFaults(tool, 'inputSchema', true),
    ...schemaFaults(tool, 'outputSchema', false),
  ]);
  return faults.length > 0 ? faults : [holding('schemas', `of ${counting(tools, 'tool')}`)];
}

function schemaFaults(tool: JsonObject, member: 'inputSchema' | 'outputSchema', needed: boolean): readonly Finding[] {
  const schema = tool[member];
  if (schema === undefined && !needed) return [];
  const why = schemaFault(schema, `${member} of tool "${printable(String(tool['name']))}"`);
  if (why === undefined) return [];
  const fix = 'write JSON Schema 2020-12 with "type": "object" at its root; clients refuse the tool otherwise';
  return [failing('schemas', { fault: 'bad-schema', found: why, fix })];
}

function schemaFault(schema: unknown, what: string): string | undefined {
  if (!isObject(schema)) return `the ${what} is missing, or no object`;
  if (schema['type'] !== 'object') return `the ${what} has no "type": "object" at its root`;
  try {
    foreignChecker(schema, `the ${what}`);
    return undefined;
  } catch (thrown) {
    return printable((thrown instanceof Error ? thrown.message : String(thrown)).slice(0, 300));
  }
}

/** Only what says that it reads, promises a shape, and needs no arguments is called. */
export async function resultsCheck(client: Client, tools: readonly JsonObject[]): Promise<readonly Finding[]> {
  const callable = tools.filter(isHarmless).map(({ name }) => String(name));
  const findings: Finding[] = [];
  for (const name of callable) {
    const fault = await client.call(name).then(
      () => undefined,
      (thrown: unknown) => resultFault(name, thrown),
    );
    if (fault !== undefined) findings.push(fault);
  }
  if (findings.length > 0) return findings;
  return [
    holding('results', callable.length === 0 ? 'no tool can be tried without harm' : `tried ${callable.join(', ')}`),
  ];
}

function isHarmless({ annotations, inputSchema, outputSchema }: JsonObject): boolean {
  const reads = isObject(annotations) && annotations['readOnlyHint'] === true;
  const required = isObject(inputSchema) ? inputSchema['required'] : undefined;
  return reads && isObject(outputSchema) && !(Array.isArray(required) && required.length > 0);
}

function resultFault(name: string, thrown: unknown): Finding {
  const message = printable((thrown instanceof Error ? thrown.message : String(thrown)).slice(0, 300));
  if (thrown instanceof McpError && thrown.code === 'MCP_OUTPUT_MISMATCH')
    return failing('results', {
      fault: 'output-mismatch',
      found: message,
      fix: 'correct the tool or its outputSchema: clients refuse such a result',
    });
  const says = thrown instanceof ToolError ? 'says' : 'fails';
  return failing('results', {
    fault: 'tool-failed',
    found: `${printable(name)} ${says}: ${message}`,
    fix: 'look at its log',
  });
}
