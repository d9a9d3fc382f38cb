/** The stateless lifecycle, without a handshake: every request has its revision and the client's introduction in `_meta`. */
import { RpcError } from '../../errors.ts';
import {
  defined,
  INVALID_PARAMS,
  isObject,
  type JsonObject,
  type RpcRequest,
  withMembers,
} from '../../jsonrpc/message.ts';
import type { Caller, Implementation } from '../../model/caller.ts';
import { isLoggingLevel } from '../../model/logging.ts';
import {
  CLIENT_CAPABILITIES,
  CLIENT_INFO,
  DISCOVER,
  LOG_LEVEL,
  PROTOCOL_VERSION,
  SERVER_INFO,
} from '../../model/names.ts';
import type { Lifecycle } from '../contract.ts';
import { pickKnown } from '../encode.ts';

/** Returns the revision in a request's `_meta`; undefined if absent. On the path of every request. */
export function claimedVersion({ params }: RpcRequest): unknown {
  const meta = params?.['_meta'];
  return meta !== undefined && isObject(meta) ? meta[PROTOCOL_VERSION] : undefined;
}

/** Makes the lifecycle for the revision `id`, which clients name in every request. */
export function requestLifecycle(id: string): Lifecycle {
  return {
    answer(request, server) {
      if (request.method !== DISCOVER) return undefined;
      const revision = server.revisions.find((one) => one.id === id);
      return defined<JsonObject>({
        supportedVersions: server.revisions.map((one) => one.id),
        capabilities: revision && pickKnown(revision.vocabulary, 'ServerCapabilities', server.capabilities(revision)),
        instructions: server.instructions,
      });
    },
    caller({ params }) {
      const meta = params?.['_meta'];
      const capabilities = isObject(meta) ? meta[CLIENT_CAPABILITIES] : undefined;
      if (!isObject(capabilities)) throw new RpcError(INVALID_PARAMS, `_meta must have "${CLIENT_CAPABILITIES}"`);
      const info = (meta as JsonObject)[CLIENT_INFO]; // an object, since it has capabilities
      return {
        info: info !== undefined && isObject(info) ? (info as Implementation) : undefined,
        capabilities: capabilities as Caller['capabilities'],
      }; // self-reported, so not validated further
    },
    logLevel({ params }) {
      const meta = params?.['_meta'];
      const level = isObject(meta) ? meta[LOG_LEVEL] : undefined;
      if (level === undefined) return undefined;
      if (!isLoggingLevel(level))
        throw new RpcError(INVALID_PARAMS, `Unknown log level ${JSON.stringify(level)} in _meta`);
      return level;
    },
    stamp(result, server) {
      const meta = result['_meta'];
      const _meta = withMembers(isObject(meta) ? meta : undefined, { [SERVER_INFO]: server });
      // Fast path for results that already have a type, such as those that a gateway forwards.
      return 'resultType' in result ? withMembers(result, { _meta }) : { resultType: 'complete', ...result, _meta };
    },
    introduce(params, me) {
      const introduction: Record<string, unknown> = {
        [PROTOCOL_VERSION]: id,
        [CLIENT_INFO]: me.info,
        [CLIENT_CAPABILITIES]: me.capabilities,
      };
      if (me.logLevel !== undefined) introduction[LOG_LEVEL] = me.logLevel;
      const meta = params?.['_meta'];
      return withMembers(params, { _meta: withMembers(isObject(meta) ? meta : undefined, introduction) });
    },
  };
}
