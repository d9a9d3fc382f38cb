/** Settings of the processes of a chaos run, passed by the parent. */
import process from 'node:process';

export interface UpstreamSettings {
  readonly port: number;
  readonly label: string;
  readonly revision: string;
  /** The file to which effects are written. */
  readonly ledger: string;
}

export interface GatewaySettings {
  readonly port: number;
  readonly healthPort: number;
  readonly peerPort: number;
  readonly redisPort: number;
  /** URLs by label. */
  readonly upstreams: Readonly<Record<string, string>>;
}

/** What a gateway has open. */
export interface GatewayReport {
  readonly waitingCalls: number;
  readonly openCalls: number;
  readonly conversations: number;
  readonly heapBytes: number;
  /** Requests for sessions that the store did not have. */
  readonly storeErrors: number;
}

export function parentMessages(listener: (message: unknown) => void): void {
  process.on('message', listener);
  // Ends with its parent.
  process.on('disconnect', () => process.exit(1));
}
