/** Rules from data, as a configuration file has them: `- deny: { server: shop, name: refund, lacks: 'shop:write' }`. */
import { McpError } from '../../errors.ts';
import { listOf } from '../../host/policy/act-match.ts';
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import { suggest } from '../../model/suggest.ts';
import type { GatewayMatch } from './gateway-match.ts';
import { type GatewayBudget, type GatewayRule, gatewayRules } from './gateway-rules.ts';

/** What is wrong with a rule, and where: `['policy', 2, 'deny', 'lack']`. */
export interface RuleDataFault {
  readonly path: DataPath;
  readonly why: string;
}
type DataPath = readonly (string | number)[];

/** All rules that could be read, and everything that is wrong with the others. */
export interface RulesInData {
  readonly rules: readonly GatewayRule[];
  readonly faults: readonly RuleDataFault[];
}

const verdicts = ['allow', 'ask', 'deny', 'budget', 'trustAnnotationsOf'] as const;
const budgetMembers = ['match', 'calls', 'per', 'for'];

/** `path` is where the list stands. */
export function readRules(data: unknown, path: DataPath = ['policy']): RulesInData {
  const reader = new RuleReader();
  if (!Array.isArray(data)) return { rules: [], faults: [{ path, why: 'must be a list of rules' }] };
  const rules = data.flatMap((one: unknown, at) => reader.rule(one, [...path, at]) ?? []);
  return { rules, faults: reader.faults };
}

class RuleReader {
  readonly faults: RuleDataFault[] = [];

  rule(data: unknown, path: DataPath): GatewayRule | undefined {
    const names = isObject(data) ? Object.keys(data) : [];
    const [name = ''] = names;
    if (!isObject(data) || names.length !== 1)
      return this.#fault(path, `must be an object with one of ${verdicts.join(', ')}`);
    const verdict = verdicts.find((known) => known === name);
    const at = [...path, name];
    if (verdict === undefined) return this.#fault(at, `is not a rule; ${suggest(name, verdicts)}`);
    const value = data[name];
    if (verdict === 'trustAnnotationsOf')
      return this.#tried(at, () => gatewayRules.trustAnnotationsOf(...(listOf(value) as readonly string[]))); // checked there
    if (!isObject(value)) return this.#fault(at, 'must be an object of what it matches; {} matches everything');
    if (verdict === 'budget') return this.#budget(value, at);
    const { visible, ...rest } = value;
    const match = this.#match(verdict === 'deny' ? rest : value, at);
    if (visible !== undefined && verdict === 'deny' && typeof visible !== 'boolean')
      return this.#fault([...at, 'visible'], 'must be true or false');
    if (match === undefined) return undefined;
    return verdict === 'deny' ? gatewayRules.deny(match, { visible: visible === true }) : gatewayRules[verdict](match);
  }

  #budget(data: JsonObject, path: DataPath): GatewayRule | undefined {
    const before = this.faults.length;
    const stray = Object.keys(data).filter((member) => !budgetMembers.includes(member));
    for (const member of stray) this.#fault([...path, member], `is not known; ${suggest(member, budgetMembers)}`);
    const { match = {}, ...budget } = data;
    if (!isObject(match)) return this.#fault([...path, 'match'], 'must be an object of what it counts');
    const counted = this.#match(match, [...path, 'match']);
    const rule = this.#tried(path, () => gatewayRules.budget(counted ?? {}, budget as unknown as GatewayBudget)); // checked there
    return this.faults.length === before ? rule : undefined;
  }

  /** Each member is tried alone, so that all that is wrong is found at once. */
  #match(data: JsonObject, path: DataPath): GatewayMatch | undefined {
    const before = this.faults.length;
    const read = Object.entries(data).map(([member, value]) => {
      const place = [...path, member];
      const readable = member === 'arguments' && isObject(value) ? this.#arguments(value, place) : value;
      this.#tried(place, () => gatewayRules.deny({ [member]: readable }));
      return [member, readable] as const;
    });
    return this.faults.length === before ? Object.fromEntries(read) : undefined;
  }

  /** Expressions are `{ pattern: '^/tmp/' }`; a plain text is that text. */
  #arguments(data: JsonObject, path: DataPath): JsonObject {
    const read = (value: unknown, place: DataPath): unknown => {
      if (!isObject(value)) return value;
      const { pattern, ...rest } = value;
      if (typeof pattern === 'string' && Object.keys(rest).length === 0)
        return this.#tried(place, () => new RegExp(pattern, 'u')) ?? '';
      this.#fault(place, 'must be a value or { pattern: "a regular expression" }');
      return '';
    };
    const entries = Object.entries(data).map(([name, value]) => {
      const place = [...path, name];
      return [name, Array.isArray(value) ? value.map((one) => read(one, place)) : read(value, place)] as const;
    });
    return Object.fromEntries(entries);
  }

  #tried<T>(path: DataPath, make: () => T): T | undefined {
    try {
      return make();
    } catch (error) {
      return this.#fault(path, reasonOf(error, path.at(-1)));
    }
  }

  #fault(path: DataPath, why: string): undefined {
    this.faults.push({ path, why });
  }
}

/** The path says which member it is. */
function reasonOf(error: unknown, member: string | number | undefined): string {
  const why = error instanceof McpError ? error.details['why'] : (error as Error).message; // what is thrown here
  return String(why).replace(`"${member}" `, '');
}
