/** Checks that sessions persist across requests, and that streams are not buffered by a proxy. */
import type { Client } from '../../client/index.ts';
import { RpcError } from '../../errors.ts';
import { isObject } from '../../jsonrpc/message.ts';
import { untilAborted, withTimeout } from '../../peer/wait.ts';
import { findRevision, revisions } from '../../revisions/index.ts';
import { type CheckedEndpoint, messageIn, type RawAnswer, type ReadBounds } from './endpoint.ts';
import {
  type DoctorFinding,
  doctorFault,
  type FaultDetails,
  failedFinding,
  passedFinding,
  skippedFinding,
} from './finding.ts';

/** Enough to reach more than one process behind a load balancer. */
const REQUESTS = 6;
/** A stream without data after this time is probably buffered. */
const STREAM_MS = 5_000;

export interface SessionHeaders {
  readonly 'mcp-session-id': string;
  readonly 'mcp-protocol-version': string;
}

/** The session that `initialize` opened; undefined if the server keeps no sessions. */
export function sessionIn(answer: RawAnswer): SessionHeaders | undefined {
  const id = answer.header('mcp-session-id');
  const result = messageIn(answer)?.['result'];
  if (id === undefined || !isObject(result)) return undefined;
  return { 'mcp-session-id': id, 'mcp-protocol-version': String(result['protocolVersion']) };
}

const olderRevisions: string = revisions
  .filter(({ hasSessions }) => hasSessions)
  .map(({ id }) => id)
  .join(', ');
const unsolicited = 'no list changes, no subscriptions and no log messages outside of calls';

/** Reports which features a server without sessions lacks for clients of revisions with sessions. */
export function unkeptSession(answer: RawAnswer): DoctorFinding | undefined {
  const result = messageIn(answer)?.['result'];
  if (!isObject(result) || typeof result['protocolVersion'] !== 'string') return undefined;
  return passedFinding(
    'session',
    `the server has no sessions: in clients of ${olderRevisions}, tools that ask the user fail, and there are ${unsolicited}`,
  );
}

export async function sessionCheck(endpoint: CheckedEndpoint, session: SessionHeaders): Promise<DoctorFinding> {
  await endpoint.post({ jsonrpc: '2.0', method: 'notifications/initialized' }, { ...session });
  let lost = 0;
  for (let id = 1; id <= REQUESTS; id++) {
    const { status } = await endpoint.post({ jsonrpc: '2.0', id, method: 'ping' }, { ...session });
    if (status === 404) lost++;
  }
  const standing = await endpoint.stream('head', { ...session }).catch(() => undefined);
  const lacks =
    standing?.status === 405 ? `; GET is rejected (HTTP 405), so clients of ${olderRevisions} get ${unsolicited}` : '';
  if (lost === 0) return passedFinding('session', `${REQUESTS} requests, one session${lacks}`);
  return failedFinding(
    'session',
    'session-lost',
    `${lost} of ${REQUESTS} requests reached a process that does not know the session`,
  );
}

const NO_STREAM = 'the server opens no stream outside of calls';

const bufferedFault: FaultDetails = doctorFault(
  'buffered-stream',
  `no data within ${STREAM_MS / 1000} s of opening a stream`,
);

export async function streamCheck(
  client: Client,
  endpoint: CheckedEndpoint,
  session: SessionHeaders | undefined,
  bounds: ReadBounds,
): Promise<DoctorFinding> {
  if (findRevision(client.server.revision)?.hasSessions === false) return changeStreamCheck(client, bounds);
  if (session === undefined) return skippedFinding('streams', 'the server has no sessions');
  const answer = await withStreamTimeout(endpoint.stream('head', { ...session }), bounds);
  if (answer === undefined) return failedFinding('streams', bufferedFault);
  return passedFinding('streams', answer.status === 200 ? 'events arrive immediately' : NO_STREAM);
}

/** Checks `subscriptions/listen`, whose stream begins with an acknowledgment. */
async function changeStreamCheck(client: Client, bounds: ReadBounds): Promise<DoctorFinding> {
  const abort = new AbortController();
  try {
    const granted = await withStreamTimeout(client.watch({ tools: true }, { signal: abort.signal }).granted, bounds);
    return granted === undefined
      ? failedFinding('streams', bufferedFault)
      : passedFinding('streams', 'events arrive immediately');
  } catch (thrown) {
    if (!(thrown instanceof RpcError)) throw thrown;
    return passedFinding('streams', NO_STREAM);
  } finally {
    abort.abort();
  }
}

/** Undefined on timeout. */
const withStreamTimeout = <T>(work: Promise<T>, { clock, signal }: ReadBounds): Promise<T | undefined> =>
  untilAborted(withTimeout(STREAM_MS, clock, work), signal);
