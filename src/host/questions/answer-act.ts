/** Creates the act for an answer to a server's question, which the gate decides on. */
import type { Clock } from '../../peer/clock.ts';
import type { Act } from '../act/act.ts';
import type { Gate } from '../gate/gate.ts';
import type { HostedServer } from '../servers/managed-server.ts';
import type { ActiveCalls } from './active-calls.ts';

/** Dependencies for answering questions of one server. */
export interface AnswerContext {
  readonly server: Pick<HostedServer, 'label' | 'identity'>;
  readonly gate: Gate;
  readonly activeCalls: ActiveCalls;
  readonly clock: Clock;
}

/** The act belongs to the session that is calling the server, if exactly one is. */
export function answerAct(
  { server, activeCalls }: AnswerContext,
  members: Pick<Act, 'kind' | 'name'> & Partial<Act>,
): Act {
  const session = activeCalls.sessionOf(server.label);
  const unknown = { effects: 'unknown', claimed: 'unknown', openWorld: true, carries: [] } as const;
  const asked = { arguments: {}, principal: session?.principal ?? '', session: session?.id };
  return { ...server.identity(), ...asked, ...unknown, ...members };
}
