/** A script that runs inside Redis: everything that it does happens at once. */

/**
 * Sends one command, such as `['HGET', 'key', 'field']`, and resolves with the reply. `key` says where the command belongs in a
 * cluster, for clients that want to know: `(command, key) => cluster.sendCommand(key, false, command)`.
 */
export type RedisSend = (command: string[], key: string) => Promise<unknown>;

/** Resolves with the reply of the script. It is sent by its digest, and whole where the server has not seen it. */
export function redisScript(
  send: RedisSend,
  text: string,
): (keys: readonly string[], args: readonly string[]) => Promise<unknown> {
  let digest: string | undefined;
  return async (keys, args) => {
    const rest = [`${keys.length}`, ...keys, ...args];
    const [key = ''] = keys;
    try {
      digest ??= await sha1(text);
      return await send(['EVALSHA', digest, ...rest], key);
    } catch (thrown) {
      if (!(thrown instanceof Error && thrown.message.includes('NOSCRIPT'))) throw thrown;
      return send(['EVAL', text, ...rest], key);
    }
  };
}

async function sha1(text: string): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-1', new TextEncoder().encode(text)));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
