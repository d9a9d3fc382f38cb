/** The state that a reload replaces atomically. Each message uses the state at its arrival. */
import type { Implementation } from '../../model/caller.ts';
import type { Clock } from '../../peer/clock.ts';
import type { Revision } from '../../revisions/contract.ts';
import type { Bridge } from '../bridge/bridge.ts';
import type { CallStates } from '../bridge/call-states.ts';
import type { GatewayMetrics, GatewayPolicy, NoteStoreFailure } from '../contract.ts';
import type { GatewayNodes } from '../nodes/gateway-nodes.ts';
import type { GatewayLock } from '../policy/gateway-lock.ts';
import type { WindowCounts } from '../policy/window-counts.ts';
import type { UpstreamSet } from '../upstreams/upstream-set.ts';
import type { GatewayView } from './gateway-view.ts';

export interface GatewayState {
  readonly info: Implementation;
  readonly instructions: string | undefined;
  readonly revisions: readonly Revision[];
  readonly upstreams: UpstreamSet;
  readonly views: ReadonlyMap<string, GatewayView>;
  /** Undefined if definitions are not pinned. */
  readonly lock: GatewayLock | undefined;
  readonly policy: GatewayPolicy;
  readonly counts: WindowCounts;
  readonly bridge: Bridge;
  /** Undefined for a gateway of one process. */
  readonly nodes: GatewayNodes | undefined;
  readonly states: CallStates;
  readonly clock: Clock;
  readonly metrics: GatewayMetrics | undefined;
  readonly noteStoreFailure: NoteStoreFailure;
  readonly warn: (warning: string) => void;
}
