/** Runs the host's own tools for a model. None of them reaches a server: calling a tool is left to who may. */
import { McpError } from '../../errors.ts';
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import { fenceText } from '../text/fence-text.ts';
import { escapeUnprintable } from '../text/invisible.ts';
import type { CatalogueTool } from './catalogue-tool.ts';
import { modelName } from './export.ts';
import { warningOf } from './for-model.ts';
import { CALL_TOOL, READ_RESULT, SEARCH_TOOLS, searchArguments, wrong } from './meta-tools.ts';
import { labelIn } from './names.ts';
import type { Results } from './results.ts';
import type { CatalogueView } from './view.ts';

/** What a model wants: an answer that is here already, or a tool to be called. */
export type CatalogueIntent =
  | { readonly text: string }
  | { readonly tool: CatalogueTool; readonly arguments: JsonObject };

export class OwnTools {
  readonly #view: CatalogueView;
  readonly #results: Results;

  constructor(view: CatalogueView, results: Results) {
    this.#view = view;
    this.#results = results;
  }

  /** `name` as the model used it. Throws what it may be told, for instance that there is no such tool. */
  async want(name: string, args: JsonObject): Promise<CatalogueIntent> {
    if (name === SEARCH_TOOLS) return { text: await this.#search(args) };
    if (name === READ_RESULT) return { text: this.#read(args) };
    if (name !== CALL_TOOL) return { tool: await this.#tool(name), arguments: args };
    const { name: wanted, arguments: given = {} } = args;
    if (!isObject(given)) throw wrong(CALL_TOOL, '"arguments" must be an object');
    return { tool: await this.#tool(wanted), arguments: given };
  }

  async #tool(name: unknown): Promise<CatalogueTool> {
    const tool = await this.#view.named(name);
    if (tool !== undefined) return tool;
    const what = `The tool ${escapeUnprintable(JSON.stringify(name) ?? 'without a name').slice(0, 200)}`;
    throw new McpError('MCP_BAD_DEFINITION', { what, why: 'there is none such' });
  }

  async #search(args: JsonObject): Promise<string> {
    const { query, server, limit } = searchArguments(args);
    const found = (await this.#view.found(query)).filter((tool) => server === undefined || tool.server === server);
    const shown = found.slice(0, limit).map((tool) => {
      const { description, inputSchema } = tool;
      return { name: modelName(tool), server: tool.server, description, inputSchema };
    });
    return shown.length === 0 ? 'Nothing was found; try other words.' : JSON.stringify(shown);
  }

  #read({ uri, offset = 0 }: JsonObject): string {
    if (typeof uri !== 'string' || typeof offset !== 'number')
      throw wrong(READ_RESULT, '"uri" must be a string and "offset" a number');
    const { text, next, total } = this.#results.read(uri, { offset });
    const more =
      next === undefined ? `[the end, at ${total} characters]` : `[${total} characters in all; next offset ${next}]`;
    const label = labelIn(this.#results.sourceOf(uri) ?? '') ?? '';
    return [...warningOf(text), fenceText(label, text), more].join('\n');
  }
}
