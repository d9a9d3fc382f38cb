/** https://modelcontextprotocol.io/specification/2025-03-26/changelog */
import { revision as previous } from '../2024-11-05/revision.ts';
import type { Revision } from '../contract.ts';
import { changeMethods } from '../methods.ts';
import { addMembers } from '../vocabulary.ts';

export const revision: Revision = {
  ...previous,
  id: '2025-03-26',
  batches: true,
  // Streamable HTTP: one endpoint, and resumable streams.
  http: { ...previous.http, resumable: true, isAssumed: true },
  // Completion gets a capability.
  methods: changeMethods(previous.methods, ['completion/complete'], { needs: 'completions' }),
  vocabulary: {
    ...previous.vocabulary,
    members: addMembers(previous.vocabulary.members, {
      Progress: ['message'],
      ServerCapabilities: ['completions'],
      Tool: ['annotations'],
      ToolAnnotations: ['title', 'readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'],
      audio: ['type', 'annotations', 'data', 'mimeType'],
    }),
  },
};
