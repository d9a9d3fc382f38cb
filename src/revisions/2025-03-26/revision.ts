/** https://modelcontextprotocol.io/specification/2025-03-26/changelog */
import { revision as previous } from '../2024-11-05/revision.ts';
import type { Revision } from '../contract.ts';
import { extend } from '../methods.ts';
import { completeParams } from '../params.ts';
import { adding } from '../words.ts';

const block = ['type', 'annotations', 'data', 'mimeType'];

export const revision: Revision = {
  ...previous,
  id: '2025-03-26',
  batches: true,
  // One endpoint, and streams that can be taken up again.
  http: { ...previous.http, resumable: true },
  // Completion becomes a capability.
  methods: extend(previous.methods, {
    requests: { 'completion/complete': { needs: 'completions', params: completeParams, repeatable: true } },
  }),
  words: {
    ...previous.words,
    members: adding(previous.words.members, {
      Progress: ['message'],
      ServerCapabilities: ['completions'],
      Tool: ['annotations'],
      ToolAnnotations: ['title', 'readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'],
      audio: block,
    }),
    blocks: new Set([...previous.words.blocks, 'audio']),
    samplingBlocks: new Set([...previous.words.samplingBlocks, 'audio']),
    titleInAnnotations: true,
  },
};
