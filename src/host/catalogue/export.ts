/** The catalogue in the forms that model APIs take, and the way back from the names in it. */
import { defined, isObject, type JsonObject } from '../../jsonrpc/message.ts';
import { checkList } from '../../model/check-argument.ts';
import type { CatalogueTool } from './catalogue-tool.ts';
import { exportName } from './names.ts';
import { isToolFor } from './tool-audience.ts';

/** Whose API the tools are for. */
export type ToolFormat = 'anthropic' | 'openai' | 'openai-responses' | 'gemini' | 'json';

/** Tools as a provider's API wants them, and the way back from its names to ours. */
export interface ExportedTools {
  /** What goes into the request, as its `tools`. */
  readonly tools: readonly JsonObject[];
  /** The name in the catalogue for a name that a model used; undefined for one that it made up. */
  nameOf(exported: string): string | undefined;
}

/** Tools of the catalogue in the format of a provider's API, without those that are for apps alone. */
export function exportTools(tools: readonly CatalogueTool[], format: ToolFormat): ExportedTools {
  checkList(tools, 'exportTools(tools, format)', 'a list of tools, such as await session.tools()');
  const names = new Map<string, string>();
  const listed = tools.flatMap((tool) => {
    const name = modelName(tool);
    if (format !== 'json' && !isToolFor('model', tool.definition)) return [];
    // Names are made so that this cannot be; if it were, the first would keep its own.
    if (names.has(name)) return [];
    names.set(name, tool.name);
    return [forms[format](tool, name)];
  });
  const all = format === 'gemini' ? [{ functionDeclarations: listed }] : listed;
  return { tools: all, nameOf: (exported) => names.get(exported) };
}

/** The host's own tools have no label, and need none. */
export const modelName = ({ name, server }: Pick<CatalogueTool, 'name' | 'server'>): string =>
  server === '' ? name : exportName(name);

type Form = (tool: CatalogueTool, name: string) => JsonObject;

const forms: Readonly<Record<ToolFormat, Form>> = {
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

/** What a model reads of a tool. */
export const describeTool = ({ description, title }: CatalogueTool): string =>
  description === '' ? title : description;

/** All of them want an object, and some a list of its members. */
function objectSchema(schema: JsonObject): JsonObject {
  const { properties } = schema;
  return { ...schema, type: 'object', properties: isObject(properties) ? properties : {} };
}
