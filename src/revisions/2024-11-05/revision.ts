/** https://modelcontextprotocol.io/specification/2024-11-05 */
import {
  CANCELLED,
  INITIALIZED,
  MESSAGE,
  PROGRESS,
  PROMPTS_CHANGED,
  RESOURCE_UPDATED,
  RESOURCES_CHANGED,
  ROOTS_CHANGED,
  TOOLS_CHANGED,
} from '../../model/names.ts';
import { backChannel } from '../asks/strategies.ts';
import type { MethodTable, Revision } from '../contract.ts';
import { pushFeeds } from '../feeds/push.ts';
import { sessionLifecycle } from '../lifecycles/session.ts';
import {
  callToolParams,
  completeParams,
  extendMethods,
  getPromptParams,
  initializeParams,
  noMethods,
  openParams,
  pageParams,
  readResourceParams,
  setLevelParams,
} from '../methods.ts';
import type { Vocabulary } from '../vocabulary.ts';
import { members } from './members.ts';

const methods: MethodTable = extendMethods(noMethods, {
  requests: {
    initialize: { params: initializeParams },
    ping: { params: openParams, repeatable: true },
    // Not part of any revision; see lifecycles/session.ts.
    shutdown: { params: openParams },
    'tools/list': { needs: 'tools', params: pageParams, repeatable: true },
    'tools/call': { needs: 'tools', params: callToolParams },
    'resources/list': { needs: 'resources', params: pageParams, repeatable: true },
    'resources/templates/list': { needs: 'resources', params: pageParams, repeatable: true },
    'resources/read': { needs: 'resources', params: readResourceParams, repeatable: true },
    'resources/subscribe': { needs: 'resources', params: readResourceParams, repeatable: true },
    'resources/unsubscribe': { needs: 'resources', params: readResourceParams, repeatable: true },
    'prompts/list': { needs: 'prompts', params: pageParams, repeatable: true },
    'prompts/get': { needs: 'prompts', params: getPromptParams, repeatable: true },
    // Completion has no capability in this revision, so clients try it.
    'completion/complete': { params: completeParams, repeatable: true },
    'logging/setLevel': { needs: 'logging', params: setLevelParams, repeatable: true },
  },
  questions: ['sampling/createMessage', 'roots/list'],
  notifications: [
    CANCELLED,
    INITIALIZED,
    MESSAGE,
    PROGRESS,
    PROMPTS_CHANGED,
    RESOURCE_UPDATED,
    RESOURCES_CHANGED,
    ROOTS_CHANGED,
    TOOLS_CHANGED,
  ],
});

const vocabulary: Vocabulary = {
  members,
  samplingLists: false,
  structuredContent: 'nothing',
  forms: 'nothing',
  visits: 'nothing',
  dialects: false,
};

export const revision: Revision = {
  id: '2024-11-05',
  methods,
  hasSessions: true,
  hasServerRequests: true,
  lifecycle: sessionLifecycle,
  asks: backChannel,
  feeds: pushFeeds,
  // HTTP+SSE has two endpoints, for the stream and for posting. Newer clients can also use this revision over Streamable HTTP.
  http: {
    versionHeader: false,
    isAssumed: false,
    mirrors: false,
    resumable: false,
    polling: false,
    suggestsSse: (status) => status >= 400 && status < 500,
    status: () => 200,
  },
  vocabulary,
  batches: false,
  badArguments: 'error',
  code: (error) => (error.reason === 'resource-not-found' ? -32002 : error.code),
  requiredVisits: () => [],
};
