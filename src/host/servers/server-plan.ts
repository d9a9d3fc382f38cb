/** The plan to open a server: the act that rules and the user decide on, and how to connect once it is allowed. */
import type { ConnectOptions } from '../../client/index.ts';
import type { ConnectionPlan } from '../../connect/target.ts';
import type { Masks } from '../../model/secrets.ts';
import type { Act } from '../act/act.ts';
import { type ConfigText, writtenText } from '../config/source.ts';
import { placeholderNames } from '../config/template.ts';
import type { ServerContext } from './server-context.ts';
import type { ServerLog } from './server-log.ts';

export interface ServerPlan {
  readonly act: Act;
  /** Warnings for the user. */
  readonly warnings: readonly string[];
  /** Looks up the secrets, and only then, and returns how to connect. */
  resolve(): Promise<ConnectionPlan>;
}

/** A plan that can be computed again, because variables and files can change while the user is asked (TOCTOU). */
export interface ComparedServerPlan extends ServerPlan {
  current(): Promise<Pick<Act, 'definition'>>;
}

export interface ServerPlanOptions extends Pick<ServerContext, 'lookups' | 'auth' | 'sandbox' | 'fingerprintKey'> {
  readonly label: string;
  readonly masks: Masks;
  readonly log: Pick<ServerLog, 'stderr' | 'write'>;
  readonly connect: ConnectOptions;
}

/** The members that are the same for every act that opens a server. */
export const openAct = (server: string): Act => ({
  ...{ kind: 'connect', server, name: '', arguments: {}, principal: '' },
  ...{ effects: 'unknown', claimed: 'unknown', openWorld: true, carries: [] },
});

/** The members as entries, each text replaced with the result of `read`. */
export const mapTexts = (
  texts: Readonly<Record<string, ConfigText>>,
  read: (text: ConfigText) => Promise<string>,
): Promise<[string, string][]> =>
  mapInOrder(Object.entries(texts), async ([name, text]): Promise<[string, string]> => [name, await read(text)]);

/** Names the variables and secrets in texts, because the question shows only the names of headers and of a server's own variables. */
export function valueWarnings(texts: Readonly<Record<string, ConfigText>> = {}): readonly string[] {
  const names = Object.values(texts).flatMap((text) => {
    const written = typeof text === 'string' ? '' : writtenText(text);
    return [
      ...placeholderNames(written, 'env'),
      ...placeholderNames(written, 'secret').map((name) => `secret:${name}`),
    ];
  });
  return names.length === 0 ? [] : [`It gets values of yours: ${[...new Set(names)].toSorted().join(', ')}.`];
}

/** Maps items sequentially, because each can ask the user. */
export async function mapInOrder<T, R>(items: readonly T[], make: (item: T) => Promise<R>): Promise<R[]> {
  const made: R[] = [];
  for (const item of items) made.push(await make(item));
  return made;
}
