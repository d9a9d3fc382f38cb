/** Definitions of the host's own tools for models: search for tools, call an unlisted tool, read more of a long result. */
import { badDefinition, type McpError } from '../../errors.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import { canonicalJson } from '../../model/canonical.ts';
import { sha256 } from '../act/binding.ts';
import type { CatalogueTool } from './catalogue-tool.ts';

export const SEARCH_TOOLS = 'search_tools';
export const CALL_TOOL = 'call_tool';
export const READ_RESULT = 'read_result';

const MAX_LIMIT = 20;
const DEFAULT_LIMIT = 5;

/** Creates `search_tools` and `call_tool`. Their text depends only on the labels, which keeps prompt caches valid. */
export function createSearchTools(labels: readonly string[]): readonly CatalogueTool[] {
  const from = labels.toSorted().join(', ');
  return [
    own(
      SEARCH_TOOLS,
      `Finds tools of the connected servers (${from}) by what they do. Returns their names, descriptions and input schemas.`,
      {
        type: 'object',
        properties: {
          query: { type: 'string', description: 'What the tool is needed for, in a few words' },
          server: { type: 'string', description: 'Only tools of this server' },
          limit: { type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT },
        },
        required: ['query'],
      },
    ),
    own(CALL_TOOL, `Calls a tool that ${SEARCH_TOOLS} found, with arguments that fit its input schema.`, {
      type: 'object',
      properties: {
        name: { type: 'string', description: `The name, as ${SEARCH_TOOLS} returned it` },
        arguments: { type: 'object' },
      },
      required: ['name', 'arguments'],
    }),
  ];
}

export const readResultTool: CatalogueTool = own(
  READ_RESULT,
  'Reads on in a result that was cut because of its length.',
  {
    type: 'object',
    properties: {
      uri: { type: 'string', description: 'The address that the cut result names' },
      offset: { type: 'integer', minimum: 0, description: 'Where to begin, in characters' },
    },
    required: ['uri'],
  },
);

function own(name: string, description: string, inputSchema: JsonObject): CatalogueTool {
  const definition = { name, description, inputSchema };
  const status = { hash: sha256(canonicalJson(definition)), status: 'approved', warnings: [] } as const;
  return { name, server: '', title: name, description, inputSchema, definition, ...status };
}

type SearchArguments = Readonly<{ query: string; server: string | undefined; limit: number }>;

export function searchArguments({ query, server, limit }: JsonObject): SearchArguments {
  if (typeof query !== 'string') throw argumentError(SEARCH_TOOLS, '"query" must be a string');
  const most = typeof limit === 'number' && limit >= 1 ? Math.min(Math.floor(limit), MAX_LIMIT) : DEFAULT_LIMIT;
  return { query, server: typeof server === 'string' ? server : undefined, limit: most };
}

export const argumentError = (tool: string, why: string): McpError => badDefinition(`A call of ${tool}`, why);
