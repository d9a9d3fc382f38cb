/** https://modelcontextprotocol.io/specification/2026-07-28/changelog */
import type { RpcError } from '../../errors.ts';
import { INTERNAL_ERROR, INVALID_PARAMS } from '../../jsonrpc/message.ts';
import { HEADER_MISMATCH, MISSING_CAPABILITY, statelessCodes, UNSUPPORTED_VERSION } from '../../model/codes.ts';
import { revision as previous } from '../2025-11-25/revision.ts';
import { retry } from '../asks/retry.ts';
import type { Revision } from '../contract.ts';
import { listened } from '../feeds/listen.ts';
import { requestLifecycle } from '../lifecycles/request.ts';
import { adding, dropping } from '../words.ts';
import { methods } from './methods.ts';

const id = '2026-07-28';
const hints = ['ttlMs', 'cacheScope'];
const { words } = previous;

/** Errors that are told by the status too; all others are answers like any other. */
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
  // No handshake, no requests from servers, no unsolicited notifications.
  hasSessions: false,
  hasServerRequests: false,
  lifecycle: requestLifecycle(id),
  asks: retry,
  feeds: listened,
  // POST only: no sessions, nothing to take up again. Intermediaries read headers, which must say what the body says.
  http: {
    sessions: false,
    versionHeader: true,
    mirrors: true,
    resumable: false,
    polling: false,
    suggestsSse: previous.http.suggestsSse,
    status: (code) => statuses.get(code) ?? 200,
  },
  resultTypes: new Set(['complete', 'input_required']),
  deprecated: new Set(['logging', 'roots', 'sampling']),
  words: {
    ...words,
    members: adding(dropping(words.members, { RootsCapability: ['listChanged'], Tool: ['execution'] }), {
      DiscoverResult: ['supportedVersions', 'capabilities', 'instructions', ...hints, '_meta'],
      ListResult: hints,
      ReadResult: hints,
    }),
    structuredContent: 'anything',
    visits: 'plain',
  },
  code,
  visitsFirst: () => [],
};

/** What a handler throws may have a number of an older revision, or of its own; neither may be sent in that band. */
function code({ code: given }: RpcError): number {
  if (given === -32002) return INVALID_PARAMS;
  return given >= -32099 && given <= -32000 && !statelessCodes.has(given) ? INTERNAL_ERROR : given;
}
