/** The policy that a spec describes. */
import { badDefinition } from '../../errors.ts';
import { isObject } from '../../jsonrpc/message.ts';
import type { GatewayPolicy } from '../contract.ts';
import type { GatewaySpec } from '../spec.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import { unknownPart } from '../view/unknown-part.ts';
import { createGatewayPolicy, type GatewayPolicySettings } from './gateway-policy.ts';
import { rulesTrusting } from './gateway-rules.ts';

const isGatewayRule = (rule: unknown): boolean => isObject(rule) && typeof rule['applies'] === 'function';

/** Without rules, rates and audit there is nothing to decide. */
const allowAll: GatewayPolicy = {
  dependsOnCaller: false,
  lists: () => true,
  suggests: () => true,
  admit: () => Promise.resolve({ approved: false, end: () => undefined }),
  admitList: () => Promise.resolve(),
};

export interface PolicyParts extends Omit<GatewayPolicySettings, 'policy' | 'rates' | 'audit' | 'unknown'> {
  readonly upstreams: ReadonlyMap<string, Upstream>;
}

export function policyOf({ policy, rates, audit }: GatewaySpec, { upstreams, ...parts }: PolicyParts): GatewayPolicy {
  if (policy === undefined && rates === undefined && audit === undefined) return allowAll;
  // Rules of a host, or those of a file before they were read, would deny everything without a reason.
  if (policy !== undefined && !(Array.isArray(policy) && policy.every(isGatewayRule)))
    throw badDefinition(
      'The option "policy"',
      'it takes a list of rules that gatewayRules makes, such as [gatewayRules.allow({})]',
    );
  const trusted = [...upstreams].flatMap(([label, { settings }]) =>
    settings.trust.annotations === true ? [label] : [],
  );
  const unknown: GatewayPolicySettings['unknown'] = ({ kind, name }) => unknownPart(kind, name);
  return createGatewayPolicy({ ...parts, policy: rulesTrusting(trusted, policy), rates, audit, unknown });
}
