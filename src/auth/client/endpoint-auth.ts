/**
 * The credentials for one endpoint. However many requests are refused at the same time, one way to a token is gone, and all wait
 * for it; it is given up when none of them waits any more. Whatever comes is shown to this endpoint and nobody else.
 */
import type { Challenged, HeaderFields, HttpAuth, OutgoingRequest } from '../../model/auth.ts';
import { CANCELLED } from '../../model/names.ts';
import { type Demand, demandOf } from './demand.ts';
import type { ProofMaker } from './proof.ts';
import { SharedWork } from './shared-work.ts';
import type { Tokens } from './tokens.ts';

export class EndpointAuth implements HttpAuth {
  readonly #endpoint: URL;
  readonly #tokens: Tokens;
  readonly #proofs: ProofMaker | undefined;
  #underWay: SharedWork<unknown> | undefined;

  constructor(endpoint: URL, tokens: Tokens, proofs: ProofMaker | undefined) {
    this.#endpoint = endpoint;
    this.#tokens = tokens;
    this.#proofs = proofs;
  }

  async headers(request: OutgoingRequest): Promise<HeaderFields> {
    if (request.url.origin !== this.#endpoint.origin) return undefined;
    if (this.#underWay !== undefined || this.#tokens.needsRenewal()) await this.#ready(request);
    const held = this.#tokens.held();
    if (held === undefined) return undefined;
    const authorization = `${held.scheme} ${held.accessToken}`;
    if (this.#proofs === undefined) return { authorization };
    const { method, url } = request;
    return { authorization, dpop: await this.#proofs.proof({ method, url, accessToken: held.accessToken }) };
  }

  async refused(challenged: Challenged): Promise<boolean> {
    if (challenged.url.origin !== this.#endpoint.origin) return false;
    const demand = demandOf(challenged);
    const heard = this.#proofs?.heard(challenged.url, challenged.header('dpop-nonce')) === true;
    if (heard && demand.error === 'use_dpop_nonce') return true;
    const ends = endsSomething(challenged);
    while (this.#underWay !== undefined && !ends) await this.#underWay.join(challenged.signal);
    const shown = challenged.sent?.['authorization'];
    const held = this.#tokens.held();
    if (held !== undefined && `${held.scheme} ${held.accessToken}` !== shown) return true;
    if (ends) return false;
    return this.#alone(challenged.signal, (signal) => this.#answer({ ...challenged, signal }, demand));
  }

  accepted({ url }: OutgoingRequest, header: (name: string) => string | undefined): void {
    this.#proofs?.heard(url, header('dpop-nonce'));
    this.#tokens.accepted();
  }

  async #answer(challenged: Challenged, demand: Demand): Promise<boolean> {
    if (challenged.status === 401) return !demand.foreign && this.#tokens.replace(demand, challenged);
    if (demand.error !== 'insufficient_scope') return false;
    this.#tokens.accepted();
    return this.#tokens.widen(demand, challenged);
  }

  async #ready(request: OutgoingRequest): Promise<void> {
    while (this.#underWay !== undefined) {
      if (endsSomething(request)) return;
      await this.#underWay.join(request.signal);
    }
    if (this.#tokens.needsRenewal()) await this.#alone(request.signal, () => this.#tokens.renew());
  }

  /** Begins when nothing is under way. What fails, fails for everybody who waits for it. */
  #alone<T>(signal: AbortSignal, work: (calledOff: AbortSignal) => Promise<T>): Promise<T> {
    const shared = new SharedWork(async (calledOff) => {
      try {
        return await work(calledOff);
      } finally {
        this.#underWay = undefined;
      }
    });
    this.#underWay = shared;
    return shared.wait(signal);
  }
}

/** Nobody signs in so that something can be ended, and nothing ends the later because somebody does. */
const endsSomething = ({ method, operation }: OutgoingRequest): boolean =>
  method === 'DELETE' || operation === CANCELLED;
