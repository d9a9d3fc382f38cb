/** For whom a conversation with an upstream is, and what can be asked on it: the same for calls and for lists. */
import { questionCapabilities } from '../bridge/question-capabilities.ts';
import type { GatewayRequest, UpstreamAudience } from '../contract.ts';
import type { Upstream } from '../upstreams/upstream.ts';

/** Undefined where the upstream lists the same to all callers. */
export const listAudienceOf = (of: GatewayRequest | undefined, upstream: Upstream): UpstreamAudience | undefined =>
  of !== undefined && upstream.listsApart ? audienceOf(of, upstream) : undefined;

export function audienceOf(of: GatewayRequest, { settings }: Upstream): UpstreamAudience {
  const { principal, session, link, caller, revision } = of;
  const capabilities = questionCapabilities(caller.capabilities, revision, settings.questions);
  return { principal, session, auth: link.auth, capabilities };
}
