/** Creates acts for tests: a tool call, with the members that a test sets. */
import type { Act, ActKind } from '../../src/host/act/act.ts';

export const act = (facts: Partial<Act> = {}): Act => ({
  kind: 'tool',
  server: 'files',
  name: 'read_file',
  arguments: { path: 'notes.txt' },
  principal: 'ada',
  effects: 'unknown',
  claimed: 'destructive',
  openWorld: true,
  carries: [],
  ...facts,
});

export const everyKind: readonly ActKind[] = [
  'spawn',
  'connect',
  'tool',
  'resource',
  'prompt',
  'completion',
  'extension',
  'sampling',
  'elicitation',
  'roots',
  'visit',
  'message',
  'context',
  'download',
  'skill',
];
