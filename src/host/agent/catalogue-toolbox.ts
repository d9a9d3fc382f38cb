/** A toolbox of what the catalogue shows to a session: within a budget, with the host's own tools for finding and reading the rest. */
import { modelName } from '../catalogue/export.ts';
import { forModel } from '../catalogue/for-model.ts';
import { OwnTools } from '../catalogue/own-tools.ts';
import type { Results } from '../catalogue/results.ts';
import type { CatalogueView } from '../catalogue/view.ts';
import type { Offer, Toolbox } from './toolbox.ts';

/** Of the definitions of tools: a few hundredths of what a model can read at once. */
const BUDGET_TOKENS = 10_000;

export class CatalogueToolbox implements Toolbox {
  readonly #view: CatalogueView;
  readonly #results: Results;
  readonly #own: OwnTools;
  /** What the model was offered before: it stays where it was, so that what a provider has cached stays good. */
  #offered: readonly string[] = [];

  constructor(view: CatalogueView, results: Results) {
    this.#view = view;
    this.#results = results;
    this.#own = new OwnTools(view, results);
  }

  async open(prompt: string, signal: AbortSignal): Promise<Offer> {
    const tools = await this.#view.tools({ budgetTokens: BUDGET_TOKENS, query: prompt, keep: this.#offered });
    signal.throwIfAborted();
    this.#offered = tools.map(({ name }) => name);
    return {
      tools: tools.map((tool) => {
        const { description, inputSchema } = tool;
        return { name: modelName(tool), description, inputSchema };
      }),
      hints: this.#view.instructions().map(({ server, text }) => ({ server, instructions: text })),
      want: async (name, args) => {
        const wanted = await this.#own.want(name, args);
        if ('text' in wanted) return wanted;
        const { tool, arguments: given } = wanted;
        return { name: tool.name, server: tool.server, arguments: given };
      },
      show: (tool, content) => forModel(content, { from: tool, results: this.#results }),
    };
  }
}
