/** Exports tools in the formats of model APIs, and maps their names back. */
import { defined, isObject, type JsonObject } from '../../jsonrpc/message.ts';
import { checkList } from '../../model/check-argument.ts';
import type { CatalogueTool } from './catalogue-tool.ts';
import { exportName } from './names.ts';
import { isToolFor } from './tool-audience.ts';

/** The API that the tools are for. */
export type ToolFormat = 'anthropic' | 'openai' | 'openai-responses' | 'gemini' | 'json';

/** Tools in the format of a provider's API, and a function that maps names back. */
export interface ExportedTools {
  /** The `tools` member of the request. */
  readonly tools: readonly JsonObject[];
  /** The catalogue name for a name that the model used; undefined for a hallucinated name. */
  nameOf(exported: string): string | undefined;
}

/** Converts tools to the format of a provider's API. Leaves out tools that are only for views. */
export function exportTools(tools: readonly CatalogueTool[], format: ToolFormat): ExportedTools {
  checkList(tools, 'exportTools(tools, format)', 'a list of tools, such as await session.tools()');
  const names = new Map<string, string>();
  const listed = tools.flatMap((tool) => {
    const name = modelName(tool);
    if (format !== 'json' && !isToolFor('model', tool.definition)) return [];
    // exportName() makes names unique. If two collide nevertheless, the first wins.
    if (names.has(name)) return [];
    names.set(name, tool.name);
    return [formatters[format](tool, name)];
  });
  const all = format === 'gemini' ? [{ functionDeclarations: listed }] : listed;
  return { tools: all, nameOf: (exported) => names.get(exported) };
}

/** The name for models. The host's own tools have no label. */
export const modelName = ({ name, server }: Pick<CatalogueTool, 'name' | 'server'>): string =>
  server === '' ? name : exportName(name);

type ToolFormatter = (tool: CatalogueTool, name: string) => JsonObject;

const formatters: Readonly<Record<ToolFormat, ToolFormatter>> = {
  anthropic: (tool, name) => ({ name, description: describeTool(tool), input_schema: objectSchema(tool.inputSchema) }),
  openai: (tool, name) => ({
    type: 'function',
    function: { name, description: describeTool(tool), parameters: objectSchema(tool.inputSchema) },
  }),
  'openai-responses': (tool, name) => ({
    type: 'function',
    name,
    description: describeTool(tool),
    parameters: objectSchema(tool.inputSchema),
    strict: false,
  }),
  gemini: (tool, name) => ({
    name,
    description: describeTool(tool),
    parametersJsonSchema: objectSchema(tool.inputSchema),
  }),
  json: ({ name, server, title, description, inputSchema, definition: { outputSchema, annotations, _meta } }) =>
    defined<JsonObject>({ name, server, title, description, inputSchema, outputSchema, annotations, _meta }),
};

/** The description for models; falls back to the title. */
export const describeTool = ({ description, title }: CatalogueTool): string =>
  description === '' ? title : description;

/** Adds `type` and `properties`, which some provider APIs require. */
function objectSchema(schema: JsonObject): JsonObject {
  const { properties } = schema;
  return { ...schema, type: 'object', properties: isObject(properties) ? properties : {} };
}
