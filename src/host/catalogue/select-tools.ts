/** Selects the tools for a model if not all of them fit into its token budget. */
import { badDefinition, type McpError } from '../../errors.ts';
import type { DefinitionCheck } from '../lock/lock.ts';
import { type CatalogueTool, toCatalogueTool } from './catalogue-tool.ts';
import { exportTools, modelName } from './export.ts';
import type { CatalogueItem } from './item.ts';
import { createSearchTools, readResultTool } from './meta-tools.ts';
import { estimateTokens } from './tokens.ts';

/** New matches per prompt; more would use up the budget before the next prompt. */
const MAX_PICKED = 10;

/** A tool in display form, with derived values that are computed once. */
export interface PreparedTool {
  readonly tool: CatalogueTool;
  readonly modelName: string;
  /** Estimated tokens of its definition. */
  readonly tokens: number;
}

export function prepareTool(item: CatalogueItem<'tool'>, check: DefinitionCheck): PreparedTool {
  const tool = toCatalogueTool(item, check);
  return { tool, modelName: modelName(tool), tokens: tokensOf(tool) };
}

/** The selectable tools with their token counts, and the host's meta tools. */
export interface OfferableTools {
  readonly tools: readonly CatalogueTool[];
  readonly byName: ReadonlyMap<string, PreparedTool>;
  readonly tokens: number;
  readonly metaTools: readonly CatalogueTool[];
  readonly metaTokens: number;
}

export function toOfferable(prepared: readonly PreparedTool[], labels: readonly string[]): OfferableTools {
  const metaTools = [...createSearchTools(labels), readResultTool];
  return {
    tools: prepared.map(({ tool }) => tool),
    byName: new Map(prepared.map((one) => [one.tool.name, one])),
    tokens: sum(prepared.map(({ tokens }) => tokens)) + tokensOf(readResultTool),
    metaTools,
    metaTokens: sum(metaTools.map(tokensOf)),
  };
}

export interface ToolSelection {
  readonly budgetTokens: number;
  /** Names of previously selected tools; they come first, in this order. */
  readonly keep: readonly string[];
  /** Searches for the prompt. Called only if not all tools fit. */
  readonly matches: () => readonly CatalogueItem[];
}

/**
 * Returns all tools if they fit. Otherwise the host's meta tools, the previous selection, and the best matches, in this order: each list
 * extends the previous one, which keeps the provider's prompt cache valid.
 */
export function selectTools(offerable: OfferableTools, selection: ToolSelection): readonly CatalogueTool[] {
  const { tools, byName, tokens, metaTools, metaTokens } = offerable;
  const { budgetTokens, keep, matches } = selection;
  if (tokens <= budgetTokens) return [readResultTool, ...tools];
  let left = budgetTokens - metaTokens;
  if (left < 0) throw tooSmall(budgetTokens, metaTokens);
  const chosen = new Map<string, CatalogueTool>();
  for (const name of [...keep, ...bestMatches(matches(), byName, new Set(keep))]) {
    const found = byName.get(name);
    if (found === undefined || found.tokens > left || chosen.has(name)) continue;
    chosen.set(name, found.tool);
    left -= found.tokens;
  }
  return [...metaTools, ...chosen.values()];
}

function bestMatches(
  matches: readonly CatalogueItem[],
  byName: OfferableTools['byName'],
  keep: ReadonlySet<string>,
): readonly string[] {
  const names: string[] = [];
  for (const { name, kind } of matches) {
    if (names.length === MAX_PICKED) break;
    if (kind === 'tool' && byName.has(name) && !keep.has(name)) names.push(name);
  }
  return names;
}

/** Estimates the tokens of a tool in a request, including the separating comma. */
const tokensOf = (tool: CatalogueTool): number =>
  estimateTokens(`${JSON.stringify(exportTools([tool], 'openai').tools[0])},`);

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

const tooSmall = (given: number, needed: number): McpError =>
  badDefinition(
    'The option "budgetTokens"',
    `${given} tokens are too few: the tools that search for tools take ${needed}`,
  );
