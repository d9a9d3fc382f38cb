/** What every step on the way to a token works with, and how a step that fails says so. */
import { McpError } from '../../../errors.ts';
import { displayUrl, networkReason } from '../../../model/printable.ts';
import type { Clock } from '../../../peer/clock.ts';
import type { Trace } from '../../web/trace.ts';
import type { Web, WebRequest, WebResponse } from '../../web/web.ts';

export interface AuthContextParts {
  /** The MCP endpoint that a token is wanted for. */
  readonly endpoint: URL;
  readonly web: Web;
  readonly clock: Clock;
  readonly trace: Trace;
}

export class AuthContext {
  readonly endpoint: URL;
  readonly web: Web;
  readonly clock: Clock;
  readonly #trace: Trace;

  constructor({ endpoint, web, clock, trace }: AuthContextParts) {
    this.endpoint = endpoint;
    this.web = (request) => this.#asked(web, request);
    this.clock = clock;
    this.#trace = trace;
  }

  traceChoice(step: string, why: string): void {
    this.#trace({ step, outcome: 'chosen', why });
  }

  traceAccepted(step: string, why: string): void {
    this.#trace({ step, outcome: 'accepted', why });
  }

  /** Traces it, and returns it to be thrown. */
  failure(step: string, why: string, cause?: unknown): McpError<'MCP_AUTH_FAILED'> {
    this.#trace({ step, outcome: 'refused', why });
    return new McpError('MCP_AUTH_FAILED', { url: displayUrl(this.endpoint), step, why }, { cause });
  }

  /** Who cannot be reached here is not the MCP server: nobody is to try there again because of it, and have a person sign in again. */
  async #asked(web: Web, request: WebRequest): Promise<WebResponse> {
    try {
      return await web(request);
    } catch (error) {
      if (error instanceof McpError && error.kind === 'auth') throw error;
      const details = { url: displayUrl(this.endpoint), step: request.step, why: networkReason(error) };
      throw new McpError('MCP_AUTH_FAILED', details, { cause: error });
    }
  }
}
