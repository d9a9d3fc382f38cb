/** Which tools a model is told about when it cannot be told about all of them. */
import { McpError } from '../../errors.ts';
import type { CatalogueTool } from './catalogue-tool.ts';
import { exportTools } from './export.ts';
import { readResultTool, searchTools } from './meta-tools.ts';
import type { CountTokens } from './tokens.ts';

/** More would leave no room for what is wanted next. */
const MAX_PICKED = 10;

export interface Selecting {
  readonly budgetTokens: number;
  /** The labels of the servers. */
  readonly labels: readonly string[];
  /** Names that were chosen before: they come first, in this order. */
  readonly keep: readonly string[];
  /** The names that fit best to what is wanted, the best first. */
  readonly ranked: readonly string[];
  readonly countTokens: CountTokens;
}

/**
 * All of them, if they fit. Otherwise the host's own tools, those that were chosen before, and the best of the rest: each list
 * begins as the one before it, so what a provider has cached of it stays good.
 */
export function selectTools(tools: readonly CatalogueTool[], selecting: Selecting): readonly CatalogueTool[] {
  const { budgetTokens, labels, keep, ranked } = selecting;
  const cost = new Map(tools.map((tool) => [tool.name, costOf(tool, selecting.countTokens)]));
  const reading = costOf(readResultTool, selecting.countTokens);
  if (sum(cost.values()) + reading <= budgetTokens) return [readResultTool, ...tools];
  const own = [...searchTools(labels), readResultTool];
  let left = budgetTokens - sum(own.map((tool) => costOf(tool, selecting.countTokens)));
  if (left < 0) throw tooSmall(budgetTokens, budgetTokens - left);
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const chosen = new Map<string, CatalogueTool>();
  const picked = ranked.filter((name) => byName.has(name) && !keep.includes(name)).slice(0, MAX_PICKED);
  for (const name of [...keep, ...picked]) {
    const [tool, price] = [byName.get(name), cost.get(name)];
    if (tool === undefined || price === undefined || price > left || chosen.has(name)) continue;
    chosen.set(name, tool);
    left -= price;
  }
  return [...own, ...chosen.values()];
}

/** As it goes to a model. The comma between two counts too. */
const costOf = (tool: CatalogueTool, countTokens: CountTokens): number =>
  countTokens(`${JSON.stringify(exportTools([tool], 'openai').tools[0])},`);

const sum = (numbers: Iterable<number>): number => [...numbers].reduce((all, one) => all + one, 0);

const tooSmall = (given: number, needed: number): McpError =>
  new McpError('MCP_BAD_DEFINITION', {
    what: 'The option "budgetTokens"',
    why: `${given} tokens hold not even the tools for finding tools, which take ${needed}`,
  });
