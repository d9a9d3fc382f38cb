/** Dispatches JSON-RPC requests of pages to verbs: validates params, and turns exceptions into JSON-RPC errors. */
import { randomUUID } from 'node:crypto';
import { McpError, messageOf, RpcError } from '../errors.ts';
import {
  INTERNAL_ERROR,
  INVALID_PARAMS,
  INVALID_REQUEST,
  isObject,
  type JsonObject,
  METHOD_NOT_FOUND,
} from '../jsonrpc/message.ts';
import { type Shape, shape, type Table } from '../model/shape.ts';
import { withTimeout } from '../peer/wait.ts';
import type { VerbName, VerbParams, VerbResult } from './protocol.ts';
import type { Nothing } from './protocol-verb.ts';
import type { WorkbenchCore } from './workbench-core.ts';

/** Slower requests are answered with `{ pending }`: browsers limit concurrent connections. */
const PENDING_MS = 1_000;

/** Verbs with an empty result return nothing. */
// biome-ignore lint/suspicious/noConfusingVoidType: functions without a result return it
type VerbOutcome<V extends VerbName> = VerbResult<V> extends Nothing ? void : VerbResult<V>;

interface VerbHandler<V extends VerbName> {
  readonly params: Shape<VerbParams<V>>;
  run(params: VerbParams<V>): VerbOutcome<V> | Promise<VerbOutcome<V>>;
}
export type VerbTable = { readonly [V in VerbName]?: VerbHandler<V> };

/** Defines a verb: the shape of its params, or of their members, and its handler. */
export const verb = <P, R>(
  members: NoInfer<Table<P> | Shape<P>>,
  run: (params: P) => R,
): { readonly params: Shape<P>; readonly run: (params: P) => R } => ({
  params: typeof members === 'function' ? members : shape(members),
  run,
});

export class WorkbenchRpc {
  readonly #bench: WorkbenchCore;
  readonly #verbs: ReadonlyMap<string, VerbHandler<VerbName>>;

  constructor(bench: WorkbenchCore, verbs: VerbTable) {
    this.#bench = bench;
    // Safe: each handler is called only with params that its own shape has validated.
    this.#verbs = new Map(Object.entries(verbs)) as ReadonlyMap<string, VerbHandler<VerbName>>;
  }

  async answer(request: unknown): Promise<JsonObject> {
    const { id = null, method, params = {} } = isObject(request) ? request : {};
    const about = { jsonrpc: '2.0', id } as const;
    if (typeof method !== 'string')
      return { ...about, error: { code: INVALID_REQUEST, message: 'expected a JSON-RPC request' } };
    const running = this.#run(method, params);
    const done = await withTimeout(PENDING_MS, this.#bench.clock, running);
    if (done !== undefined) return { ...about, ...done };
    const pending = randomUUID();
    void running.then(({ result, error }) =>
      this.#bench.feed.emit('answered', {
        pending,
        ...(error === undefined ? { result } : { error }),
      }),
    );
    return { ...about, result: { pending } };
  }

  async #run(method: string, params: unknown): Promise<{ readonly result?: unknown; readonly error?: JsonObject }> {
    const verb = this.#verbs.get(method);
    if (verb === undefined) return { error: { code: METHOD_NOT_FOUND, message: `unknown method ${method}` } };
    const fault = verb.params(params, 'params');
    if (fault !== undefined) return { error: { code: INVALID_PARAMS, message: fault } };
    try {
      const result = (await verb.run(params as VerbParams<VerbName>)) ?? {}; // validated by its shape
      return { result: this.#bench.large.shorten(result) };
    } catch (error) {
      const code = error instanceof RpcError ? error.code : INTERNAL_ERROR;
      const server = isObject(params) ? String(params['server']) : '';
      return {
        error: {
          code,
          message: this.#bench.scrub(server, messageOf(error)),
          ...(error instanceof McpError ? { data: { code: error.code } } : {}),
        },
      };
    }
  }
}
