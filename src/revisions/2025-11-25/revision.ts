/** https://modelcontextprotocol.io/specification/2025-11-25/changelog */
import { INTERNAL_ERROR } from '../../jsonrpc/message.ts';
import { requiredVisitsIn, URL_ELICITATION_REQUIRED } from '../../model/elicitation.ts';
import { ELICITATION_COMPLETE } from '../../model/names.ts';
import { revision as previous } from '../2025-06-18/revision.ts';
import type { Revision } from '../contract.ts';
import { extendMethods } from '../methods.ts';
import { addMembers } from '../vocabulary.ts';

const icons = ['icons'];

export const revision: Revision = {
  ...previous,
  id: '2025-11-25',
  // As a result, a model can read the error and correct its arguments.
  badArguments: 'result',
  http: { ...previous.http, polling: true, suggestsSse: (status) => [400, 404, 405].includes(status) },
  methods: extendMethods(previous.methods, { notifications: [ELICITATION_COMPLETE] }),
  tasks: {
    name: 'augmented',
    methods: ['tasks/get', 'tasks/result', 'tasks/list', 'tasks/cancel'],
    declare: (base) => ({ ...base, tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } }),
    load: async () => (await import('../tasks/augmented.ts')).augmentedTasks,
  },
  vocabulary: {
    ...previous.vocabulary,
    members: addMembers(previous.vocabulary.members, {
      CreateMessageParams: ['tools', 'toolChoice'],
      Implementation: [...icons, 'description', 'websiteUrl'],
      Prompt: icons,
      Resource: icons,
      ResourceTemplate: icons,
      SamplingCapability: ['context', 'tools'],
      SamplingMessage: ['_meta'],
      ServerCapabilities: ['tasks'],
      Tool: [...icons, 'execution'],
      resource_link: icons,
      tool_result: ['type', 'toolUseId', 'content', 'structuredContent', 'isError', '_meta'],
      tool_use: ['type', 'id', 'name', 'input', '_meta'],
    }),
    samplingLists: true,
    forms: 'rich',
    visits: 'named',
    dialects: true,
  },
  code: (error) =>
    error.code === URL_ELICITATION_REQUIRED && requiredVisitsIn(error.data).length === 0
      ? INTERNAL_ERROR
      : previous.code(error),
  requiredVisits: ({ code, data }) => (code === URL_ELICITATION_REQUIRED ? requiredVisitsIn(data) : []),
};
