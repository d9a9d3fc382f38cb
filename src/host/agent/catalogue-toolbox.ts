/** The tools that an agent's model is offered: what fits, in an order that stays, with the rest to be searched for. */

import type { CatalogueTool } from '../catalogue/catalogue-tool.ts';
import { modelName } from '../catalogue/export.ts';
import { forModel } from '../catalogue/for-model.ts';
import { OwnTools } from '../catalogue/own-tools.ts';
import type { Results } from '../catalogue/results.ts';
import type { CatalogueView } from '../catalogue/view.ts';
import type { Toolbox, TurnTools } from './toolbox.ts';

/** What definitions may take of the context of a model: five in a hundred of the usual 200,000 tokens. */
const TOOL_TOKENS = 10_000;

export interface ToolboxOptions {
  readonly view: CatalogueView;
  readonly results: Results;
  readonly toolTokens?: number | undefined;
}

/** Of one session: what its model was told about once stays where it was. */
export class CatalogueToolbox implements Toolbox {
  readonly #options: ToolboxOptions;
  readonly #own: OwnTools;
  #kept: readonly string[] = [];

  constructor(options: ToolboxOptions) {
    this.#options = options;
    this.#own = new OwnTools(options.view, options.results);
  }

  async open(prompt: string, signal: AbortSignal): Promise<TurnTools> {
    const { view, results, toolTokens: budgetTokens = TOOL_TOKENS } = this.#options;
    const tools = await view.tools({ budgetTokens, query: prompt, keep: this.#kept });
    signal.throwIfAborted();
    this.#kept = tools.filter(({ server }) => server !== '').map(({ name }) => name);
    return {
      tools: tools.map(modelTool),
      hints: view.hints().map(({ server, text }) => ({ server, instructions: text })),
      want: async (name, args) => {
        const wanted = await this.#own.want(name, args);
        if ('text' in wanted) return wanted;
        return { name: wanted.tool.name, server: wanted.tool.server, arguments: wanted.arguments };
      },
      show: (from, content) => forModel(content, { from, results }),
    };
  }
}

const modelTool = (tool: CatalogueTool): TurnTools['tools'][number] => ({
  name: modelName(tool),
  description: tool.description === '' ? tool.title : tool.description,
  inputSchema: tool.inputSchema,
});
