/** Every scenario, in the order in which they run. */
import type { AnyScenario } from '../scenario.ts';
import { clientHttp, clientStdio } from './client-call.ts';
import { httpSession, httpStateless } from './http-call.ts';
import { stdioCall } from './stdio-call.ts';

export const scenarios: readonly AnyScenario[] = [httpSession, httpStateless, stdioCall, clientHttp, clientStdio];
