/** https://modelcontextprotocol.io/specification/2025-06-18/changelog */
import { revision as previous } from '../2025-03-26/revision.ts';
import type { Revision } from '../contract.ts';
import { extendMethods } from '../methods.ts';
import { addMembers } from '../vocabulary.ts';

const described = ['title', '_meta'];

export const revision: Revision = {
  ...previous,
  id: '2025-06-18',
  // Removes batches.
  batches: false,
  http: { ...previous.http, versionHeader: true, isAssumed: false },
  methods: extendMethods(previous.methods, { questions: ['elicitation/create'] }),
  vocabulary: {
    ...previous.vocabulary,
    members: addMembers(previous.vocabulary.members, {
      Annotations: ['lastModified'],
      CallToolResult: ['structuredContent'],
      ClientCapabilities: ['elicitation'],
      CompleteParams: ['context'],
      Implementation: ['title'],
      Prompt: described,
      PromptArgument: ['title'],
      Resource: ['title'],
      ResourceTemplate: described,
      Root: ['_meta'],
      Tool: ['outputSchema', 'title'],
      audio: ['_meta'],
      image: ['_meta'],
      resource: ['_meta'],
      resource_link: ['type', 'uri', 'name', 'title', 'description', 'mimeType', 'size', 'annotations', '_meta'],
      text: ['_meta'],
    }),
    structuredContent: 'object',
    forms: 'plain',
  },
};
