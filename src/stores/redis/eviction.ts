/** Refuses a Redis that can evict keys: everything here has an expiry, so that every policy but `noeviction` can drop it early. */
import { badDefinition } from '../../errors.ts';
import type { RedisSend } from './redis-script.ts';

/** Looks once, before the first command. While Redis is away, each command looks again. */
export function refuseEviction(send: RedisSend, onWarning?: (text: string) => void): RedisSend {
  let looking: Promise<void> | undefined;
  const look = async (key: string): Promise<void> => {
    const info = await send(['INFO', 'memory'], key).catch(unlessForbidden);
    const [, policy] = /^maxmemory_policy:(\S+)/m.exec(`${info}`) ?? [];
    const why = info instanceof Error ? ` (${info.message})` : '';
    if (policy === undefined)
      onWarning?.(`Redis does not say whether it evicts keys${why}. Set maxmemory-policy noeviction`);
    else if (policy !== 'noeviction' && !/^maxmemory:0$/m.test(`${info}`))
      throw badDefinition(
        'Redis',
        `maxmemory-policy is ${policy}, so that used states and sessions can be dropped early. Set it to noeviction, or maxmemory to 0`,
      );
  };
  return async (command, key) => {
    looking ??= look(key).catch((thrown: unknown) => {
      looking = undefined;
      throw thrown;
    });
    await looking;
    return send(command, key);
  };
}

function unlessForbidden(thrown: unknown): Error {
  if (thrown instanceof Error && /NOPERM|unknown command/i.test(thrown.message)) return thrown;
  throw thrown;
}
