/** A gateway policy without a gateway: handmade requests, unsealed state. */

import { RpcError, ToolError } from '../../src/errors.ts';
import { CallStates } from '../../src/gateway/bridge/call-states.ts';
import type { ExposedPart, GatewayPolicy, Retry, RoutedRequest } from '../../src/gateway/contract.ts';
import type { CallerFacts } from '../../src/gateway/policy/gateway-match.ts';
import { type GatewayPolicySettings, RulePolicy } from '../../src/gateway/policy/gateway-policy.ts';
import { WindowCounts } from '../../src/gateway/policy/window-counts.ts';
import type { JsonObject, RpcRequest, RpcResponse } from '../../src/jsonrpc/message.ts';
import { success } from '../../src/jsonrpc/message.ts';
import { type ClientCapabilities, principalOf } from '../../src/model/caller.ts';
import { revisions } from '../../src/revisions/index.ts';
import { virtualClock } from '../../src/testing/index.ts';

export interface HandMadeCall {
  readonly revision?: string;
  readonly capabilities?: ClientCapabilities;
  readonly method?: string;
  readonly params?: JsonObject;
  readonly retry?: Retry;
  /** Answers questions. */
  readonly answer?: (request: RpcRequest) => JsonObject;
  readonly isReady?: boolean;
}

export interface PolicyWorld {
  readonly policy: GatewayPolicy;
  readonly clock: ReturnType<typeof virtualClock>;
  readonly asked: readonly RpcRequest[];
  readonly states: CallStates;
  lists(part: ExposedPart, caller: CallerFacts): boolean;
  admitList(caller: CallerFacts): Promise<void>;
  admit(part: ExposedPart, caller: CallerFacts, call?: HandMadeCall): ReturnType<GatewayPolicy['admit']>;
  /** The outcome: allowed, approved, asks, denied, unknown, or an error code. */
  call(part: ExposedPart, caller: CallerFacts, args: JsonObject, call?: HandMadeCall): Promise<string>;
}

const listed: ExposedPart = { label: 'shop', kind: 'tool', key: 'x', name: 'x', definition: {} };

const callMethods = {
  tool: 'tools/call',
  prompt: 'prompts/get',
  resource: 'resources/read',
  template: 'resources/read',
} as const;

export function policyWorld(
  settings: Partial<GatewayPolicySettings> & Pick<GatewayPolicySettings, 'policy'>,
): PolicyWorld {
  const clock = virtualClock();
  const asked: RpcRequest[] = [];
  const states = new CallStates({ clock });
  // As a gateway does.
  const noteStoreFailure = (use: string): void => settings.metrics?.count('store_failures_total', { use });
  const policy = new RulePolicy({ clock, states, counts: new WindowCounts(clock), noteStoreFailure, ...settings });
  const route = (part: ExposedPart, { view, ...auth }: CallerFacts, call: HandMadeCall = {}): RoutedRequest => {
    const method = call.method ?? callMethods[part.kind];
    const revision = revisions.find(({ id }) => id === (call.revision ?? '2026-07-28'));
    if (revision === undefined) throw new Error('no such revision');
    const params = { ...(method === 'resources/read' ? { uri: part.key } : { name: part.key }), ...call.params };
    const ask = async (request: RpcRequest): Promise<RpcResponse> => {
      asked.push(request);
      return success(0, call.answer?.(request) ?? { action: 'decline' });
    };
    const link = { signal: new AbortController().signal, notify: () => undefined, ask, auth };
    const session = { ready: call.isReady ?? true };
    const push = { notify: () => undefined };
    const caller = { capabilities: call.capabilities ?? { elicitation: { form: {} } } };
    return {
      ...{
        request: { jsonrpc: '2.0', id: 1, method, params },
        link,
        revision,
        caller,
        principal: principalOf(auth),
        view,
      },
      ...{ session, push, logLevel: undefined, part, method, params, retry: call.retry },
    };
  };
  const admit: PolicyWorld['admit'] = (part, caller, call) => policy.admit(route(part, caller, call));
  return {
    ...{ policy, clock, asked, states },
    lists: (part, caller) => policy.lists(part, route(part, caller)),
    admitList: (caller) => policy.count('lists', route(listed, caller)),
    admit,
    async call(part, caller, args, call) {
      try {
        const params = part.kind === 'tool' || part.kind === 'prompt' ? { arguments: args } : {};
        const admission = await admit(part, caller, { ...call, params: { ...params, ...call?.params } });
        if ('asks' in admission) return 'asks';
        admission.end('done');
        return admission.approved ? 'approved' : 'allowed';
      } catch (error) {
        if (error instanceof ToolError) return `denied: ${error.message}`;
        if (error instanceof RpcError) return error.message.startsWith('Unknown') ? 'unknown' : String(error.code);
        throw error;
      }
    },
  };
}
