/** The process of a client under test: keeps a number of calls open, checks each answer, and reports the cost. */
import { closedLoop } from '../load/closed-loop.ts';
import type { Sample } from '../scenario.ts';
import { quantile } from '../stats.ts';
import { mustBe, type Setup } from '../work.ts';
import { underTest, usage } from './under-test.ts';

/** Calls the `echo` tool and returns its text. */
export type Echo = (message: string) => Promise<string>;

interface Asked {
  readonly server: string;
  readonly ms: number;
  readonly inFlight: number;
}

/** Connects to all servers of the setup, then waits for commands. */
export async function clientUnderTest({ servers }: Setup, connect: (server: string) => Promise<Echo>): Promise<void> {
  const opened = await Promise.all(
    Object.entries(servers).map(async ([name, at]) => [name, await connect(at)] as const),
  );
  const echoes = new Map(opened);
  underTest('client', {
    run({ server, ms, inFlight }: Asked): Promise<Sample> {
      const echo = echoes.get(server);
      if (echo === undefined) throw new Error(`There is no server "${server}"`);
      return measured(echo, ms, inFlight);
    },
  });
}

export async function measured(echo: Echo, ms: number, inFlight: number): Promise<Sample> {
  let said = 0;
  const once = async (): Promise<void> => {
    const message = `ahoy ${said++}`;
    mustBe(message, await echo(message));
  };
  const before = usage();
  const load = await closedLoop(
    Array.from({ length: inFlight }, () => once),
    ms,
  );
  return {
    cost: (usage() - before) / load.calls,
    calls: load.calls,
    p50: quantile(load.latencies, 0.5),
    p99: quantile(load.latencies, 0.99),
    rate: (load.calls * 1_000) / load.ms,
  };
}
