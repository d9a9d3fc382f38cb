/** The tools of a session's model: those that fit into its context, the host's tools for searching the rest, and formatting of results. */
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import type { Content } from '../../model/content.ts';
import { missingError } from '../act/missing-error.ts';
import type { CatalogueTool } from '../catalogue/catalogue-tool.ts';
import type { CatalogueInstructions } from '../catalogue/catalogue-view.ts';
import { describeTool, modelName } from '../catalogue/export.ts';
import { forModel, warningOf } from '../catalogue/for-model.ts';
import { argumentError, CALL_TOOL, READ_RESULT, SEARCH_TOOLS, searchArguments } from '../catalogue/meta-tools.ts';
import { exportName, labelIn } from '../catalogue/names.ts';
import type { SessionResults } from '../catalogue/results.ts';
import type { SessionCatalogue } from '../catalogue/session-catalogue.ts';
import type { ModelBlock, ModelTool } from '../models/model.ts';
import { fenceText } from '../text/fence-text.ts';
import type { AwaitedCall, AwaitedText } from './agent-call.ts';

/** The default budget for tool definitions: 5 % of a context of 200,000 tokens. */
const TOOL_TOKENS = 10_000;

export interface ModelToolsOptions {
  readonly catalogue: SessionCatalogue;
  readonly results: SessionResults;
  readonly toolTokens?: number | undefined;
  /** Tools of the host itself, loaded on first use. */
  readonly hostTools?: readonly (() => Promise<HostTools>)[];
}

/** Tools that the host implements itself. */
export interface HostTools {
  readonly tools: readonly ModelTool[];
  /** Returns text for the model, or a pending request to a server; undefined if `name` is not one of `tools`. */
  run(
    name: string,
    args: JsonObject,
    signal: AbortSignal | undefined,
  ): Promise<string | AwaitedText | AwaitedCall | undefined>;
}

/** How to execute a tool call of the model: return text, await a pending result, or call a server's tool. */
export type ToolIntent =
  | { readonly text: string }
  | AwaitedText
  | AwaitedCall
  | { readonly tool: CatalogueTool; readonly arguments: JsonObject };

/** The tools for one model request. */
export interface TurnTools {
  readonly tools: readonly ModelTool[];
  /** The instructions of the servers. */
  readonly hints: readonly CatalogueInstructions[];
}

export class ModelTools {
  readonly #options: ModelToolsOptions;
  /** Names of tools in the last offer. They stay in the next one, which keeps the provider's prompt cache valid. */
  #offered: readonly string[] = [];
  readonly #converted: WeakMap<CatalogueTool, ModelTool> = new WeakMap();

  constructor(options: ModelToolsOptions) {
    this.#options = options;
  }

  async offer(query: string, signal: AbortSignal): Promise<TurnTools> {
    const { catalogue, toolTokens: budgetTokens = TOOL_TOKENS } = this.#options;
    const tools = await catalogue.toolsWithWarnings({ budgetTokens, query, keep: this.#offered });
    signal.throwIfAborted();
    const offered: string[] = [];
    const modelTools: ModelTool[] = [];
    for (const tool of tools) {
      let converted = this.#converted.get(tool);
      if (converted === undefined) {
        converted = toModelTool(tool);
        this.#converted.set(tool, converted);
      }
      modelTools.push(converted);
      if (tool.server !== '') offered.push(tool.name);
    }
    this.#offered = offered;
    const own = (await this.#ownTools()).flatMap((one) => one.tools);
    return { tools: [...modelTools, ...own], hints: catalogue.hints() };
  }

  /** Decides how to execute a call. Throws for unknown names and wrong arguments; the model reads the message. */
  async resolve(name: string, args: JsonObject, signal?: AbortSignal): Promise<ToolIntent> {
    // An application's own `Model` may return anything.
    if (!isObject(args)) throw argumentError(name, 'the arguments must be an object');
    for (const own of await this.#ownTools()) {
      const answer = await own.run(name, args, signal);
      if (answer !== undefined) return typeof answer === 'string' ? { text: answer } : answer;
    }
    if (name === SEARCH_TOOLS) return { text: await this.#search(args) };
    if (name === READ_RESULT) return { text: this.#read(args) };
    if (name !== CALL_TOOL) return { tool: await this.#find(name), arguments: args };
    const { name: tool, arguments: given = {} } = args;
    if (!isObject(given)) throw argumentError(CALL_TOOL, '"arguments" must be an object');
    return { tool: await this.#find(tool), arguments: given };
  }

  /** Formats a tool's result for the model. */
  show(tool: string, content: readonly Content[]): readonly ModelBlock[] {
    return forModel(content, tool, this.#options.results);
  }

  #ownTools(): Promise<readonly HostTools[]> {
    return Promise.all((this.#options.hostTools ?? []).map((load) => load()));
  }

  async #find(name: unknown): Promise<CatalogueTool> {
    const tool = typeof name === 'string' ? await this.#options.catalogue.tool(name) : undefined;
    if (tool !== undefined) return tool;
    throw missingError('tool', name, this.#offered.map(exportName));
  }

  async #search(args: JsonObject): Promise<string> {
    const { query, server, limit } = searchArguments(args);
    const found = (await this.#options.catalogue.searchTools(query)).filter(
      (tool) => server === undefined || tool.server === server,
    );
    const listed = found.slice(0, limit).map((tool) => {
      const { description, inputSchema } = tool;
      return { name: modelName(tool), server: tool.server, description, inputSchema };
    });
    return listed.length === 0 ? 'Nothing was found; try other words.' : JSON.stringify(listed);
  }

  #read({ uri, offset = 0 }: JsonObject): string {
    if (typeof uri !== 'string' || typeof offset !== 'number')
      throw argumentError(READ_RESULT, '"uri" must be a string and "offset" a number');
    const { text, next, total } = this.#options.results.read(uri, { offset });
    const more =
      next === undefined ? `[the end, at ${total} characters]` : `[${total} characters in all; next offset ${next}]`;
    const from = this.#options.results.sourceOf(uri) ?? '';
    const label = labelIn(from) ?? '';
    // A skill's source ends in /SKILL.md; names of tools contain no slash.
    const skill = from.endsWith('/SKILL.md') ? from.slice(label.length + 1) : undefined;
    return [...warningOf(text), fenceText(label, text, skill), more].join('\n');
  }
}

function toModelTool(tool: CatalogueTool): ModelTool {
  return { name: modelName(tool), description: describeTool(tool), inputSchema: tool.inputSchema };
}
