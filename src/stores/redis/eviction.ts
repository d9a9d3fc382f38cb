/** Refuses a Redis that can evict keys: everything here has an expiry, so that every policy but `noeviction` can drop it early. */
import { badDefinition, type McpError } from '../../errors.ts';
import type { RedisSend } from './redis-script.ts';

/** Looks once, before the first command. While Redis is away, each command looks again. */
export function refuseEviction(send: RedisSend, onWarning?: (text: string) => void): RedisSend {
  let checked = false;
  let looking: Promise<void> | undefined;
  const look = async (key: string): Promise<void> => {
    try {
      const info = `${await send(['INFO', 'memory'], key)}`;
      const [, maximum] = /^maxmemory:(\d+)/m.exec(info) ?? [];
      const [, policy] = /^maxmemory_policy:(\S+)/m.exec(info) ?? [];
      if (policy === undefined)
        onWarning?.('Redis does not say whether it evicts keys. Set maxmemory-policy noeviction');
      else if (policy !== 'noeviction' && maximum !== '0') throw evicts(policy);
    } catch (thrown) {
      if (!(thrown instanceof Error && /NOPERM|unknown command/i.test(thrown.message))) throw thrown;
      onWarning?.(`Redis does not say whether it evicts keys (${thrown.message}). Set maxmemory-policy noeviction`);
    }
    checked = true;
  };
  return async (command, key) => {
    if (!checked) {
      looking ??= look(key).finally(() => {
        looking = undefined;
      });
      await looking;
    }
    return send(command, key);
  };
}

const evicts = (policy: string): McpError =>
  badDefinition(
    'Redis',
    `maxmemory-policy is ${policy}, so that used states and sessions can be dropped early. Set it to noeviction, or maxmemory to 0`,
  );
