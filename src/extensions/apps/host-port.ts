/** The view's side of the connection to its host: JSON-RPC over `postMessage`. Ignores messages of other windows. */
import { INTERNAL_ERROR, isObject, type JsonObject, METHOD_NOT_FOUND } from '../../jsonrpc/message.ts';
import { systemClock } from '../../peer/clock.ts';

interface PendingAnswer {
  resolve(result: JsonObject): void;
  reject(reason: Error): void;
}

export class HostPort {
  readonly #pending: Map<unknown, PendingAnswer> = new Map();
  /** Starts at a random number, so that two connections of one page do not confuse their responses. */
  #lastId = Math.floor(Math.random() * 2 ** 31);
  /** Pinned to the origin of the first response. Stays `*` for a host with an opaque origin, which cannot be addressed. */
  #origin = '*';

  /** `answer` returns undefined for an unknown method. */
  constructor(
    answer: (method: string, params: JsonObject) => Promise<JsonObject> | undefined,
    onNotification: (method: string, params: JsonObject) => void,
  ) {
    addEventListener('message', ({ source, origin, data }: MessageEvent<unknown>) => {
      const isHost = source === parent && (this.#origin === '*' || origin === this.#origin);
      if (!isHost || !isObject(data) || data['jsonrpc'] !== '2.0') return;
      const { id, method, params } = data;
      const given = isObject(params) ? params : {};
      if (typeof method !== 'string') this.#settle(data, origin);
      else if (id === undefined) onNotification(method, given);
      else void this.#respond(id, async () => answer(method, given));
    });
  }

  /** Rejects with the message and `code` of the host's error. */
  request(method: string, params: JsonObject, timeoutMs?: number): Promise<JsonObject> {
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.#send({ id, method, params });
      if (timeoutMs === undefined) return;
      const late = { id, error: { message: `The host did not answer ${method} within ${timeoutMs / 1000} seconds` } };
      systemClock.after(timeoutMs, () => this.#settle(late, this.#origin));
    });
  }

  notify(method: string, params: JsonObject): void {
    this.#send({ method, params });
  }

  #send(message: JsonObject): void {
    parent.postMessage({ jsonrpc: '2.0', ...message }, this.#origin);
  }

  #settle({ id, result, error }: JsonObject, origin: string): void {
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    this.#pending.delete(id);
    if (this.#origin === '*' && origin !== 'null') this.#origin = origin;
    if (isObject(error)) pending.reject(hostError(String(error['message']), error['code']));
    else pending.resolve(isObject(result) ? result : {});
  }

  async #respond(id: unknown, answer: () => Promise<JsonObject | undefined>): Promise<void> {
    try {
      const result = await answer();
      this.#send({ id, ...(result ? { result } : { error: { code: METHOD_NOT_FOUND, message: 'Unknown method' } }) });
    } catch (thrown) {
      // Does not send the exception, which can contain data of the page.
      this.#send({ id, error: { code: INTERNAL_ERROR, message: 'The view failed' } });
      throw thrown;
    }
  }
}

/** An error of the host or of a tool, with the JSON-RPC `code` that the host sent. */
export const hostError = (message: string, code?: unknown): Error => Object.assign(new Error(message), { code });
