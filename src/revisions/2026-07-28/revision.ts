/** https://modelcontextprotocol.io/specification/2026-07-28/changelog */
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

export const revision: Revision = {
  ...previous,
  id,
  methods,
  // No handshake, no requests from servers, no unsolicited notifications.
  lifecycle: requestLifecycle(id),
  asks: retry,
  feeds: listened,
  resultTypes: new Set(['complete', 'input_required']),
  deprecated: new Set(['logging', 'roots', 'sampling']),
  words: {
    ...words,
    members: adding(dropping(words.members, { Tool: ['execution'], Root: [] }), {
      DiscoverResult: ['supportedVersions', 'capabilities', 'instructions', ...hints, '_meta'],
      ListResult: hints,
      ReadResult: hints,
    }),
    structuredContent: 'anything',
    visits: 'plain',
  },
  code: (error) => error.code,
};
