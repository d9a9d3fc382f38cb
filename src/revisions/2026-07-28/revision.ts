/** https://modelcontextprotocol.io/specification/2026-07-28/changelog */
import type { RpcError } from '../../errors.ts';
import { INTERNAL_ERROR, INVALID_PARAMS } from '../../jsonrpc/message.ts';
import {
  ACKNOWLEDGED,
  DISCOVER,
  ELICITATION_COMPLETE,
  HEADER_MISMATCH,
  INITIALIZED,
  LISTEN,
  MISSING_CAPABILITY,
  ROOTS_CHANGED,
  statelessCodes,
  TASKS,
  UNSUPPORTED_VERSION,
} from '../../model/names.ts';
import { revision as previous } from '../2025-11-25/revision.ts';
import { retry } from '../asks/strategies.ts';
import type { MethodTable, Revision } from '../contract.ts';
import { listenFeeds } from '../feeds/listen.ts';
import { requestLifecycle } from '../lifecycles/request.ts';
import { changeMethods, extendMethods, listenParams, openParams, withoutMethods } from '../methods.ts';
import { addMembers, dropMembers } from '../vocabulary.ts';

const inherited = withoutMethods(previous.methods, [
  'initialize',
  'ping',
  'shutdown',
  'logging/setLevel',
  'resources/subscribe',
  'resources/unsubscribe',
  INITIALIZED,
  ROOTS_CHANGED,
  ELICITATION_COMPLETE,
]);

const cacheable = ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list', 'resources/read'];

const methods: MethodTable = extendMethods(changeMethods(inherited, cacheable, { cacheable: true }), {
  requests: {
    [DISCOVER]: { params: openParams, repeatable: true, cacheable: true },
    [LISTEN]: { params: listenParams, repeatable: true },
  },
  notifications: [ACKNOWLEDGED],
});

const id = '2026-07-28';
const hints = ['ttlMs', 'cacheScope'];
const { vocabulary } = previous;

/** Errors with their own HTTP status; all others are sent with 200. */
const statuses: ReadonlyMap<number, number> = new Map([
  [-32700, 400],
  [-32600, 400],
  [-32601, 404],
  [HEADER_MISMATCH, 400],
  [MISSING_CAPABILITY, 400],
  [UNSUPPORTED_VERSION, 400],
]);

export const revision: Revision = {
  ...previous,
  id,
  methods,
  // Removes the handshake, requests from servers, and unsolicited notifications.
  hasSessions: false,
  hasServerRequests: false,
  lifecycle: requestLifecycle(id),
  asks: retry,
  feeds: listenFeeds,
  // POST only, without sessions or resumption. Headers repeat parts of the body for intermediaries, and must match it.
  http: {
    ...previous.http,
    mirrors: true,
    resumable: false,
    polling: false,
    status: (code) => statuses.get(code) ?? 200,
  },
  tasks: {
    name: 'handle',
    methods: ['tasks/get', 'tasks/update', 'tasks/cancel'],
    declare: (base) => ({ ...base, extensions: { ...base.extensions, [TASKS]: {} } }),
    load: async () => (await import('../tasks/handles.ts')).taskHandles,
  },
  resultTypes: new Set(['complete', 'input_required']),
  deprecated: new Set(['logging', 'roots', 'sampling']),
  vocabulary: {
    ...vocabulary,
    members: addMembers(
      dropMembers(vocabulary.members, {
        RootsCapability: ['listChanged'],
        ServerCapabilities: ['tasks'],
        Tool: ['execution'],
      }),
      {
        DiscoverResult: ['supportedVersions', 'capabilities', 'instructions', ...hints, '_meta'],
        ListResult: hints,
        ReadResult: hints,
      },
    ),
    structuredContent: 'anything',
    visits: 'plain',
  },
  code,
  requiredVisits: () => [],
};

/** Maps codes of older revisions. Codes that a handler invents in the reserved range become internal errors. */
function code({ code: given }: RpcError): number {
  if (given === -32002) return INVALID_PARAMS;
  return given >= -32099 && given <= -32000 && !statelessCodes.has(given) ? INTERNAL_ERROR : given;
}
