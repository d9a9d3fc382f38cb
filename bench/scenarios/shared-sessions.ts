/** The cost of sessions in Redis, and of several processes that share them. */
import type { Entry } from '../contenders.ts';
import { ProcessesSubject } from '../load/processes-subject.ts';
import { SharedSubject } from '../load/shared-subject.ts';
import { type AnyScenario, scenario } from '../scenario.ts';
import { echo } from '../wire.ts';
import { mustBe, type ToolResult, textOf } from '../work.ts';
import { echoing } from './http-call.ts';

const memory: Entry = { name: 'in memory', peer: 'mooring' };
const inRedis = (client: string): Entry => ({ name: client, peer: 'mooring', program: 'shared' });

export const sharedSessions: AnyScenario = scenario({
  id: 'shared-sessions',
  title: 'HTTP server, sessions in Redis',
  about: 'Calls an echo tool, in sessions that any process can serve. Rows are named after the Redis client library.',
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

/** On enough cores, throughput grows with the number of processes, divided by this ratio. */
export const sharedProcesses: AnyScenario = scenario({
  id: 'shared-processes',
  title: 'HTTP servers that share sessions in Redis',
  about: 'Calls an echo tool; each session uses the processes alternately. The cost is the sum over all processes.',
  rows: [
    {
      id: '16',
      title: '16 sessions per process',
      unit: 'CPU µs',
      measure: (subject, ms) =>
        subject.measure(16, ms, async (caller) => {
          const { result } = await caller.call(echo('ahoy'));
          mustBe('ahoy', textOf(result as ToolResult)); // checked by textOf
        }),
    },
  ],
  contenders: [
    ['one process', 1],
    ['two processes', 2],
  ].map(([name, total]) => ({
    name: String(name),
    open: () => ProcessesSubject.start(inRedis('ioredis'), Number(total)),
  })),
});
