/** Rejects a Redis that can evict keys: all our keys have a TTL, so every policy except `noeviction` can remove them early. */
import { badDefinition } from '../../errors.ts';
import type { RedisSend } from './redis-script.ts';

/** Checks the policy once, before the first command. A failed check is repeated before the next command. */
export function rejectEviction(send: RedisSend, onWarning?: (text: string) => void): RedisSend {
  let checked: Promise<void> | undefined;
  const checkPolicy = async (key: string): Promise<void> => {
    const info = await send(['INFO', 'memory'], key).catch(errorIfForbidden);
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
    checked ??= checkPolicy(key).catch((thrown: unknown) => {
      checked = undefined;
      throw thrown;
    });
    await checked;
    return send(command, key);
  };
}

/** Returns the error if `INFO` is not allowed, which is only a warning; rethrows any other. */
function errorIfForbidden(thrown: unknown): Error {
  if (thrown instanceof Error && /NOPERM|unknown command/i.test(thrown.message)) return thrown;
  throw thrown;
}
