/** All scenarios, in the order in which they run. */
import { growthInFlight } from '../growth/in-flight.ts';
import { growthPayload } from '../growth/payload.ts';
import { growthSessions } from '../growth/sessions.ts';
import { growthSubscribers } from '../growth/subscribers.ts';
import { growthTools } from '../growth/tools.ts';
import type { AnyScenario } from '../scenario.ts';
import { churn } from './churn.ts';
import { clientHttp, clientStdio } from './client-call.ts';
import { coldStart, importTime } from './cold-start.ts';
import { functionCalls, functionCallsStateless } from './function-calls.ts';
import { gatewayAcross, gatewayBearer, gatewayCall, gatewayList } from './gateway.ts';
import { httpSession, httpStateless } from './http-call.ts';
import { idleSession } from './idle-session.ts';
import { inMemory } from './in-memory.ts';
import { fanOut } from './listen.ts';
import { callBeside, toolsList } from './many-tools.ts';
import { payloadHttp, payloadStdio } from './payload.ts';
import { progress } from './progress.ts';
import { sharedProcesses, sharedSessions } from './shared-sessions.ts';
import { bundleSize, installSize } from './size.ts';
import { stdioCall } from './stdio-call.ts';
import { taskCall, waitingTasks } from './tasks.ts';
import { validation } from './validation.ts';

export const scenarios: readonly AnyScenario[] = [
  httpSession,
  httpStateless,
  stdioCall,
  clientHttp,
  clientStdio,
  inMemory,
  toolsList,
  callBeside,
  gatewayCall,
  gatewayAcross,
  gatewayBearer,
  gatewayList,
  sharedSessions,
  sharedProcesses,
  churn,
  payloadHttp,
  payloadStdio,
  progress,
  fanOut,
  validation,
  taskCall,
  waitingTasks,
  coldStart,
  importTime,
  idleSession,
  functionCalls,
  functionCallsStateless,
  installSize,
  bundleSize,
  growthTools,
  growthSessions,
  growthSubscribers,
  growthInFlight,
  growthPayload,
];
