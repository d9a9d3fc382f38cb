/** One difference between two definitions, and what it means for whoever relied on the first. */
import type { JsonObject } from '../../jsonrpc/message.ts';
import type { DefinitionStatus } from '../act/act.ts';
import type { OtherServers } from '../text/other-servers.ts';

export interface DefinitionChange {
  readonly status: DefinitionStatus;
  readonly why: string;
}

/** The two, in pinned form, and who is around. */
export interface Compared {
  readonly before: JsonObject;
  readonly after: JsonObject;
  readonly others?: OtherServers | undefined;
}

/** From harmless to worst; what nobody has seen before is worse than what does less, and better than what does more. */
const order: readonly DefinitionStatus[] = ['pinned', 'cosmetic', 'narrower', 'new', 'wider', 'suspicious'];

export const worst = (...statuses: readonly DefinitionStatus[]): DefinitionStatus =>
  order[Math.max(0, ...statuses.map((one) => order.indexOf(one)))] ?? 'suspicious';

export const wider = (why: string): DefinitionChange => ({ status: 'wider', why });
export const narrower = (why: string): DefinitionChange => ({ status: 'narrower', why });
export const cosmetic = (why: string): DefinitionChange => ({ status: 'cosmetic', why });
