/** What it costs to keep sessions in Redis, and to serve them from several processes. */
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

/** On so many cores, so many processes answer as many times more calls as this ratio allows. */
export const sharedProcesses: AnyScenario = scenario({
  id: 'shared-processes',
  title: 'HTTP servers that share sessions in Redis',
  about:
    'Calls a tool that echoes a message, each session in every process in turn. The cost is that of all processes together.',
  rows: [
    {
      id: '16',
      title: '16 sessions for each process',
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
