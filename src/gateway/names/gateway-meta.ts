/** The `_meta` keys that gateways add, and the filter for keys that pass through. */
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import { filterMeta, isReserved } from '../../model/meta.ts';

/** The number of gateways that a request passed. */
export const HOPS = 'dev.mooring/hops';
/** The label of the upstream that produced a result. */
export const FROM = 'dev.mooring/from';
/** The outcome of a failed call. */
export const OUTCOME = 'dev.mooring/outcome';

/** More gateways in a chain are taken for a loop. */
export const MAX_HOPS = 4;
/** The size of a caller's `_meta` that is forwarded. */
const MAX_META_LENGTH = 8 * 1024;

const traceKeys: ReadonlySet<string> = new Set(['traceparent', 'tracestate']);

export function hopsOf(params: JsonObject | undefined): number {
  const meta = params?.['_meta'];
  const hops = isObject(meta) ? meta[HOPS] : undefined;
  // An integer, since list fetches are deduplicated by hop count.
  return typeof hops === 'number' && hops > 0 ? Math.ceil(hops) : 0;
}

/** The `_meta` that is forwarded to the upstream, without keys of the protocol. */
export function requestMeta(params: JsonObject | undefined): JsonObject {
  const meta = params?.['_meta'];
  const hops = { [HOPS]: hopsOf(params) + 1 };
  const own = isObject(meta) ? filterMeta(meta, isPassedOn) : undefined;
  return own === undefined || JSON.stringify(own).length > MAX_META_LENGTH ? hops : { ...own, ...hops };
}

const isPassedOn = (key: string): boolean => traceKeys.has(key) || isPassedBack(key);
const isPassedBack = (key: string): boolean => !isReserved(key);

/** The `_meta` that is returned to the caller, with the upstream's label. */
export function resultMeta(result: JsonObject, label: string): JsonObject {
  const meta = result['_meta'];
  const own = isObject(meta) ? filterMeta(meta, isPassedBack) : undefined;
  return own === undefined ? { [FROM]: label } : { ...own, [FROM]: label };
}
