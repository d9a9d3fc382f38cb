/**
 * The credentials for one endpoint. However many requests are refused at the same time, one way to a token is gone, and all wait
 * for it; it is given up when none of them waits any more. Whatever comes is shown to this endpoint and nobody else.
 */
import type { ChallengedRequest, HeaderFields, HttpAuth, OutgoingRequest } from '../../../model/auth.ts';
import { CANCELLED } from '../../../model/names.ts';
import { type AuthChallenge, readAuthChallenge } from '../discovery/auth-challenge.ts';
import type { ProofMaker } from '../identity/proof.ts';
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
    const held = this.#tokens.current();
    if (held === undefined) return undefined;
    const authorization = `${held.scheme} ${held.accessToken}`;
    if (this.#proofs === undefined) return { authorization };
    const { method, url } = request;
    return { authorization, dpop: await this.#proofs.proof({ method, url, accessToken: held.accessToken }) };
  }

  async onChallenge(challenged: ChallengedRequest): Promise<boolean> {
    if (challenged.url.origin !== this.#endpoint.origin) return false;
    const challenge = readAuthChallenge(challenged);
    const heard = this.#proofs?.rememberNonce(challenged.url, challenged.header('dpop-nonce')) === true;
    if (heard && challenge.error === 'use_dpop_nonce') return true;
    const ends = isTeardown(challenged);
    while (this.#underWay !== undefined && !ends) await this.#underWay.join(challenged.signal);
    const shown = challenged.sent?.['authorization'];
    const held = this.#tokens.current();
    if (held !== undefined && `${held.scheme} ${held.accessToken}` !== shown) return true;
    if (ends) return false;
    return this.#alone(challenged.signal, (signal) => this.#answer({ ...challenged, signal }, challenge));
  }

  onResponse({ url }: OutgoingRequest, header: (name: string) => string | undefined): void {
    this.#proofs?.rememberNonce(url, header('dpop-nonce'));
    this.#tokens.markAccepted();
  }

  async #answer(challenged: ChallengedRequest, challenge: AuthChallenge): Promise<boolean> {
    if (challenged.status === 401) return !challenge.foreign && this.#tokens.replace(challenge, challenged);
    if (challenge.error !== 'insufficient_scope') return false;
    this.#tokens.markAccepted();
    return this.#tokens.widen(challenge, challenged);
  }

  async #ready(request: OutgoingRequest): Promise<void> {
    while (this.#underWay !== undefined) {
      if (isTeardown(request)) return;
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
const isTeardown = ({ method, operation }: OutgoingRequest): boolean => method === 'DELETE' || operation === CANCELLED;
