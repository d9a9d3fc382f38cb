/** Which tools a model is offered when it cannot be offered all of them. */
import { badDefinition, type McpError } from '../../errors.ts';
import type { DefinitionCheck } from '../lock/lock.ts';
import { type CatalogueTool, toCatalogueTool } from './catalogue-tool.ts';
import { exportTools, modelName } from './export.ts';
import type { CatalogueItem } from './item.ts';
import { readResultTool, searchTools } from './meta-tools.ts';
import { estimateTokens } from './tokens.ts';

/** More would leave no room for the tools of the next prompt. */
const MAX_PICKED = 10;

/** A tool as it is shown, and what is computed from it once. */
export interface PreparedTool {
  readonly tool: CatalogueTool;
  readonly modelName: string;
  /** What its definition takes of a model's context. */
  readonly tokens: number;
}

export function prepareTool(item: CatalogueItem<'tool'>, check: DefinitionCheck): PreparedTool {
  const tool = toCatalogueTool(item, check);
  return { tool, modelName: modelName(tool), tokens: tokensOf(tool) };
}

/** The tools that a model can be offered, with their cost, and those of the host for finding and reading more. */
export interface OfferableTools {
  readonly tools: readonly CatalogueTool[];
  readonly byName: ReadonlyMap<string, PreparedTool>;
  readonly tokens: number;
  readonly metaTools: readonly CatalogueTool[];
  readonly metaTokens: number;
}

export function toOfferable(prepared: readonly PreparedTool[], labels: readonly string[]): OfferableTools {
  const metaTools = [...searchTools(labels), readResultTool];
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
  /** Names of tools that were selected before: they come first, in this order. */
  readonly keep: readonly string[];
  /** What matches the prompt, the best first; asked for only where not everything fits. */
  readonly matches: () => readonly CatalogueItem[];
}

/**
 * All of them, if they fit. Otherwise the host's own tools, those that were selected before, and the best of the rest: each list
 * begins like the one before it, so that a provider's cache of it stays valid.
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

/** As it goes to a model, with the comma behind it. */
const tokensOf = (tool: CatalogueTool): number =>
  estimateTokens(`${JSON.stringify(exportTools([tool], 'openai').tools[0])},`);

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

const tooSmall = (given: number, needed: number): McpError =>
  badDefinition(
    'The option "budgetTokens"',
    `${given} tokens do not hold the tools for finding tools, which take ${needed}`,
  );
