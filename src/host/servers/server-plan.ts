/** What opening a server means: the act that rules and the user decide on, and how to connect once they have agreed. */
import type { ConnectOptions } from '../../client/index.ts';
import type { ConnectionPlan } from '../../connect/target.ts';
import type { Masks } from '../../model/secrets.ts';
import type { Act } from '../act/act.ts';
import type { ConfigText } from '../config/source.ts';
import type { ServerContext } from './server-context.ts';
import type { ServerLog } from './server-log.ts';

export interface ServerPlan {
  readonly act: Act;
  /** What the user should look at twice. */
  readonly warnings: readonly string[];
  /** Looks up the secrets, which is not done before. */
  resolve(): Promise<ConnectionPlan>;
}

/** A plan that can be compared with what it would be now: variables and files change while the user thinks. */
export interface ComparedServerPlan extends ServerPlan {
  current(): Promise<Pick<Act, 'definition'>>;
}

export interface ServerPlanOptions extends Pick<ServerContext, 'lookups' | 'auth' | 'sandbox' | 'fingerprintKey'> {
  readonly label: string;
  readonly masks: Masks;
  readonly log: Pick<ServerLog, 'stderr' | 'write'>;
  readonly connect: ConnectOptions;
}

/** What every act that opens a server has in common. */
export const openAct = (server: string): Act => ({
  ...{ kind: 'connect', server, name: '', arguments: {}, principal: '' },
  ...{ effects: 'unknown', claimed: 'unknown', openWorld: true, carries: [] },
});

/** The members, each with its text as `read` gives it. */
export const mapTexts = (
  texts: Readonly<Record<string, ConfigText>>,
  read: (text: ConfigText) => Promise<string>,
): Promise<[string, string][]> =>
  mapInOrder(Object.entries(texts), async ([name, text]): Promise<[string, string]> => [name, await read(text)]);

/** One after the other: each item can ask the user. */
export async function mapInOrder<T, R>(items: readonly T[], make: (item: T) => Promise<R>): Promise<R[]> {
  const made: R[] = [];
  for (const item of items) made.push(await make(item));
  return made;
}
