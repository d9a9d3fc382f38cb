/** What it costs to keep sessions in Redis. */
import type { Entry } from '../contenders.ts';
import { SharedSubject } from '../load/shared-subject.ts';
import { type AnyScenario, scenario } from '../scenario.ts';
import { echoing } from './http-call.ts';

const memory: Entry = { name: 'in memory', peer: 'mooring' };
const inRedis = (client: string): Entry => ({ name: client, peer: 'mooring', program: 'shared' });

export const sharedSessions: AnyScenario = scenario({
  id: 'shared-sessions',
  title: 'HTTP server, with its sessions in Redis',
  about:
    'Calls a tool that echoes a message, in sessions that any process could serve; the name is that of the client library.',
  rows: [
    {
      id: '16',
      title: '16 connections',
      unit: 'CPU µs',
      measure: ({ front }, ms) => echoing(front, 16, ms),
    },
  ],
  contenders: [memory, inRedis('ioredis'), inRedis('node-redis')].map((entry) => ({
    name: entry.name,
    open: () => SharedSubject.start(entry),
  })),
});
