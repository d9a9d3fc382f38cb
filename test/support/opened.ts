/** A client that is connected to a fake server. */
import { type Client, type ConnectOptions, openClient } from '../../src/client/index.ts';
import { type VirtualClock, virtualClock } from '../../src/testing/virtual-clock.ts';
import { type FakeOptions, FakeServer } from './fake-server.ts';

export const STATELESS = '2026-07-28';
export const HANDSHAKE = '2025-11-25';

export interface Opened extends AsyncDisposable {
  readonly client: Client;
  readonly server: FakeServer;
  readonly clock: VirtualClock;
  readonly warnings: string[];
}

/** The client uses the revision of the server, and a held clock. */
export async function opened(fake: Partial<FakeOptions> = {}, options: ConnectOptions = {}): Promise<Opened> {
  const revision = fake.revision ?? STATELESS;
  const server = new FakeServer({ ...fake, revision });
  const clock = virtualClock();
  const warnings: string[] = [];
  const onWarning = (warning: string): void => void warnings.push(warning);
  const client = await openClient(server.transport, { revisions: [revision], clock, onWarning, ...options });
  return { client, server, clock, warnings, [Symbol.asyncDispose]: () => client.close() };
}
