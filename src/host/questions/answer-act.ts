/** An answer to a question of a server, as the act that the gate decides on. */
import type { Clock } from '../../peer/clock.ts';
import type { Act } from '../act/act.ts';
import type { Gate } from '../gate/gate.ts';
import type { HostedServer } from '../servers/managed-server.ts';
import type { ActiveCalls } from './active-calls.ts';

/** What the answers to one server need. */
export interface AnswerContext {
  readonly server: Pick<HostedServer, 'label' | 'facts'>;
  readonly gate: Gate;
  readonly activeCalls: ActiveCalls;
  readonly clock: Clock;
}

/** In the name of the session that is calling the server, where there is one. */
export function answerAct(
  { server, activeCalls }: AnswerContext,
  facts: Pick<Act, 'kind' | 'name'> & Partial<Act>,
): Act {
  const session = activeCalls.sessionOf(server.label);
  const unknown = { effects: 'unknown', claimed: 'unknown', openWorld: true, carries: [] } as const;
  const asked = { arguments: {}, principal: session?.principal ?? '', session: session?.id };
  return { ...server.facts(), ...asked, ...unknown, ...facts };
}
