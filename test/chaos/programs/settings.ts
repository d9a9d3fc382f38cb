/** What the processes of a chaos run get from the one that starts them. */
import process from 'node:process';

export interface UpstreamSettings {
  readonly port: number;
  readonly label: string;
  readonly revision: string;
  /** The file of what was done. */
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
  /** Sessions that a request named and the store did not have. */
  readonly storeErrors: number;
}

export function parentMessages(listener: (message: unknown) => void): void {
  process.on('message', listener);
  // A process whose parent has died ends too.
  process.on('disconnect', () => process.exit(1));
}
