/** https://modelcontextprotocol.io/specification/2024-11-05 */
import { backChannel } from '../asks/back-channel.ts';
import type { Revision } from '../contract.ts';
import { pushed } from '../feeds/push.ts';
import { sessionLifecycle } from '../lifecycles/session.ts';
import { methods } from './methods.ts';
import { words } from './words.ts';

export const revision: Revision = {
  id: '2024-11-05',
  methods,
  hasSessions: true,
  hasServerRequests: true,
  lifecycle: sessionLifecycle,
  asks: backChannel,
  feeds: pushed,
  // Two endpoints, one for a standing stream and one for posting; a client of today may also send it to a single one.
  http: {
    sessions: true,
    versionHeader: false,
    mirrors: false,
    resumable: false,
    polling: false,
    suggestsSse: (status) => status >= 400 && status < 500,
    status: () => 200,
  },
  words,
  batches: false,
  badArguments: 'error',
  code: (error) => (error.reason === 'resource-not-found' ? -32002 : error.code),
  visitsFirst: () => [],
};
