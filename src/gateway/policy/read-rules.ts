/** Rules from data, as a configuration file has them: `- deny: { server: shop, name: refund, lacks: 'shop:write' }`. */
import { McpError } from '../../errors.ts';
import { listOf, type OneOrMore } from '../../host/policy/act-match.ts';
import { badRule } from '../../host/policy/check-match.ts';
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import type { GatewayMatch } from './gateway-match.ts';
import { type GatewayBudget, type GatewayRule, gatewayRules } from './gateway-rules.ts';

/** A rule as the file has it: one of these members, whose shape was checked by the description of the file. */
export interface RuleEntry {
  readonly allow?: JsonObject;
  readonly ask?: JsonObject;
  readonly deny?: JsonObject & { readonly visible?: boolean };
  readonly budget?: GatewayBudget & { readonly match?: JsonObject };
  readonly trustAnnotationsOf?: OneOrMore<string>;
}

/** Throws for what is no rule. */
export function readRule({ allow, ask, deny, budget, trustAnnotationsOf }: RuleEntry): GatewayRule {
  if (allow !== undefined) return gatewayRules.allow(matchIn(allow));
  if (ask !== undefined) return gatewayRules.ask(matchIn(ask));
  if (deny !== undefined) {
    const { visible = false, ...match } = deny;
    return gatewayRules.deny(matchIn(match), { visible });
  }
  if (budget !== undefined) {
    const { match = {}, ...limit } = budget;
    return gatewayRules.budget(matchIn(match), limit);
  }
  if (trustAnnotationsOf !== undefined) return gatewayRules.trustAnnotationsOf(...listOf(trustAnnotationsOf));
  throw badRule('must be one of allow, ask, deny, budget, trustAnnotationsOf');
}

/** Expressions are `{ pattern: '^/tmp/' }`; a plain text is that text. */
function matchIn(written: JsonObject): GatewayMatch {
  const { arguments: args, ...match } = written;
  // Where they are none, the rule says so.
  if (!isObject(args)) return written;
  const entries = Object.entries(args).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.map(argumentIn) : argumentIn(value),
  ]);
  return { ...match, arguments: Object.fromEntries(entries) };
}

function argumentIn(value: unknown): unknown {
  if (!isObject(value)) return value;
  const { pattern, ...rest } = value;
  if (typeof pattern === 'string' && Object.keys(rest).length === 0) return new RegExp(pattern, 'u');
  throw badRule('must be a value or { pattern: "a regular expression" }');
}

/** What is wrong with a rule, and where in it: `['deny', 'lacks']`. */
export interface RuleEntryFault {
  readonly path: readonly string[];
  readonly why: string;
}

/** Each condition is tried alone, so that all that is wrong is found at once. */
export function ruleFaults(entry: RuleEntry): readonly RuleEntryFault[] {
  const { allow, ask, deny, budget } = entry;
  const [verdict = ''] = Object.keys(entry);
  const { visible: _, ...match } = allow ?? ask ?? deny ?? budget?.match ?? {};
  const path = budget === undefined ? [verdict] : [verdict, 'match'];
  const faults = Object.entries(match).flatMap(([member, value]): readonly RuleEntryFault[] =>
    member === 'arguments' && isObject(value)
      ? Object.entries(value).flatMap(([name, one]) =>
          faultOf([...path, member, name], () => readRule({ deny: { arguments: { [name]: one } } })),
        )
      : faultOf([...path, member], () => readRule({ deny: { [member]: value } })),
  );
  return faults.length > 0 ? faults : faultOf([verdict], () => readRule(entry));
}

function faultOf(path: readonly string[], make: () => GatewayRule): readonly RuleEntryFault[] {
  try {
    make();
    return [];
  } catch (error) {
    const why = error instanceof McpError ? error.details['why'] : (error as Error).message; // of an expression
    // The path says which member it is.
    return [{ path, why: path.reduce((text, member) => text.replace(`"${member}" `, ''), String(why)) }];
  }
}
