/** The methods that the protocol began with. */
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
import type { MethodTable } from '../contract.ts';
import { extend, noMethods } from '../methods.ts';
import {
  callToolParams,
  completeParams,
  getPromptParams,
  initialize,
  open,
  page,
  readResourceParams,
  setLevel,
} from '../params.ts';

export const methods: MethodTable = extend(noMethods, {
  requests: {
    initialize: { params: initialize },
    ping: { params: open, repeatable: true },
    // In no revision; see the session lifecycle.
    shutdown: { params: open },
    'tools/list': { needs: 'tools', params: page, repeatable: true },
    'tools/call': { needs: 'tools', params: callToolParams },
    'resources/list': { needs: 'resources', params: page, repeatable: true },
    'resources/templates/list': { needs: 'resources', params: page, repeatable: true },
    'resources/read': { needs: 'resources', params: readResourceParams, repeatable: true },
    'resources/subscribe': { needs: 'resources', params: readResourceParams, repeatable: true },
    'resources/unsubscribe': { needs: 'resources', params: readResourceParams, repeatable: true },
    'prompts/list': { needs: 'prompts', params: page, repeatable: true },
    'prompts/get': { needs: 'prompts', params: getPromptParams, repeatable: true },
    // Completion has no capability yet: it is simply tried.
    'completion/complete': { params: completeParams, repeatable: true },
    'logging/setLevel': { needs: 'logging', params: setLevel, repeatable: true },
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
