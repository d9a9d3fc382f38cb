/** No handshake: every request says in `_meta` which revision it speaks and who is calling. Nothing is remembered. */
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

/** The revision that a request says it speaks; undefined when it says nothing. Every request is asked, so it is asked quickly. */
export function claimedVersion({ params }: RpcRequest): unknown {
  const meta = params?.['_meta'];
  return meta !== undefined && isObject(meta) ? meta[PROTOCOL_VERSION] : undefined;
}

/** One revision with this lifecycle; it names itself in what a client adds to its requests. */
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
      const info = (meta as JsonObject)[CLIENT_INFO]; // it had capabilities
      return {
        info: info !== undefined && isObject(info) ? (info as Implementation) : undefined,
        capabilities: capabilities as Caller['capabilities'],
      }; // self-reported; nothing depends on it
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
      // What has a type is copied faster: results that a gateway passes on.
      return 'resultType' in result ? withMembers(result, { _meta }) : { resultType: 'complete', ...result, _meta };
    },
    introduce(params, me) {
      const mine: Record<string, unknown> = {
        [PROTOCOL_VERSION]: id,
        [CLIENT_INFO]: me.info,
        [CLIENT_CAPABILITIES]: me.capabilities,
      };
      if (me.logLevel !== undefined) mine[LOG_LEVEL] = me.logLevel;
      const meta = params?.['_meta'];
      return withMembers(params, { _meta: withMembers(isObject(meta) ? meta : undefined, mine) });
    },
  };
}
