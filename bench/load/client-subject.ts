/** A client and the servers it calls, each in its own process. */
import type { Sample } from '../scenario.ts';
import { programAt, Subject } from '../subject.ts';
import type { Setup } from '../work.ts';

export interface ClientStart {
  readonly program: string;
  readonly era: Setup['era'];
  readonly over: 'http' | 'stdio';
}

export class ClientSubject implements AsyncDisposable {
  readonly process: Subject;
  readonly #servers: readonly Subject[];

  constructor(client: Subject, servers: readonly Subject[]) {
    this.process = client;
    this.#servers = servers;
  }

  static async start({ program, era, over }: ClientStart): Promise<ClientSubject> {
    if (over === 'stdio') {
      const servers = { stdio: programAt('limit/canned-stdio') };
      return new ClientSubject(await Subject.start({ program, setup: { era, servers } }), []);
    }
    const json = await Subject.start({ program: 'limit/canned-http', setup: { era, json: true } });
    const sse = await Subject.start({ program: 'limit/canned-http', setup: { era, json: false } });
    const servers = { json: String(await json.ready), sse: String(await sse.ready) };
    return new ClientSubject(await Subject.start({ program, setup: { era, servers } }), [json, sse]);
  }

  measure(server: string, inFlight: number, ms: number): Promise<Sample> {
    return this.process.ask('run', { server, inFlight, ms });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const one of [this.process, ...this.#servers]) await one[Symbol.asyncDispose]();
  }
}
