/** Runs Lua scripts in Redis, which are atomic. */

/**
 * Sends one command, such as `['HGET', 'key', 'field']`, and resolves with the reply. `key` is for cluster clients that route by key:
 * `(command, key) => cluster.sendCommand(key, false, command)`.
 */
export type RedisSend = (command: string[], key: string) => Promise<unknown>;

/** Returns a function that runs the script and parses its reply. Sends the digest (EVALSHA), and the whole script if the server does not have it. */
export function redisScript<T>(
  send: RedisSend,
  text: string,
  parse: (reply: unknown, command: string) => T,
): (keys: readonly string[], args: readonly string[]) => Promise<T> {
  let digest: string | undefined;
  return async (keys, args) => {
    const rest = [`${keys.length}`, ...keys, ...args];
    const [key = ''] = keys;
    try {
      digest ??= await sha1(text);
      return parse(await send(['EVALSHA', digest, ...rest], key), 'EVALSHA');
    } catch (thrown) {
      if (!(thrown instanceof Error && thrown.message.includes('NOSCRIPT'))) throw thrown;
      return parse(await send(['EVAL', text, ...rest], key), 'EVAL');
    }
  };
}

async function sha1(text: string): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-1', new TextEncoder().encode(text)));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
