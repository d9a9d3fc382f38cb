/** Reads rules from a configuration file: `- deny: { server: shop, name: refund, lacks: 'shop:write' }`. */
import { McpError } from '../../errors.ts';
import { listOf, type OneOrMore } from '../../host/policy/act-match.ts';
import { badRule } from '../../host/policy/check-match.ts';
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import type { GatewayMatch } from './gateway-match.ts';
import { type GatewayBudget, type GatewayRule, gatewayRules } from './gateway-rules.ts';

/** A rule in the file: exactly one of these members. The schema has checked its shape. */
export interface RuleEntry {
  readonly allow?: JsonObject;
  readonly ask?: JsonObject;
  readonly deny?: JsonObject & { readonly visible?: boolean };
  readonly budget?: GatewayBudget & { readonly match?: JsonObject };
  readonly trustAnnotationsOf?: OneOrMore<string>;
}

/** Throws for an invalid rule. */
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

/** An argument is a value, or a regular expression as `{ pattern: '^/tmp/' }`. */
function matchIn(written: JsonObject): GatewayMatch {
  const { arguments: args, ...match } = written;
  // Not an object: the rule reports it.
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

/** A mistake in a rule, with its path such as `['deny', 'lacks']`. */
export interface RuleEntryFault {
  readonly path: readonly string[];
  readonly why: string;
}

/** Compiles each condition separately, so that all mistakes are reported at once. */
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
    const why = error instanceof McpError ? error.details['why'] : (error as Error).message; // a SyntaxError of the regular expression
    // The path already names the member.
    return [{ path, why: path.reduce((text, member) => text.replace(`"${member}" `, ''), String(why)) }];
  }
}
