/** The dependencies of every step of the OAuth flow: the endpoint, HTTP, the clock and the trace. */
import { McpError } from '../../../errors.ts';
import { displayUrl, networkReason, printable } from '../../../model/printable.ts';
import type { Clock } from '../../../peer/clock.ts';
import type { Web, WebRequest, WebResponse } from '../../web/guarded-web.ts';
import type { Trace } from '../../web/trace.ts';

export class AuthContext {
  /** The MCP endpoint that the token is for. */
  readonly endpoint: URL;
  readonly web: Web;
  readonly clock: Clock;
  readonly #trace: Trace;

  constructor({ endpoint, web, clock, trace }: Pick<AuthContext, 'endpoint' | 'web' | 'clock'> & { trace: Trace }) {
    this.endpoint = endpoint;
    this.web = (request) => this.#request(web, request);
    this.clock = clock;
    this.#trace = trace;
  }

  /** `revision` is the protocol revision negotiated with the MCP server, sent because the response can depend on it. */
  get(step: string, url: string, revision: string | undefined): Promise<WebResponse> {
    const headers: Record<string, string> = revision === undefined ? {} : { 'mcp-protocol-version': revision };
    return this.web({ step, method: 'GET', url, headers });
  }

  traceChoice(step: string, why: string): void {
    this.#trace({ step, outcome: 'chosen', why });
  }

  traceAccepted(step: string, why: string): void {
    this.#trace({ step, outcome: 'accepted', why });
  }

  /** Traces the failure, and returns the error to throw. */
  failure(step: string, why: string): McpError<'MCP_AUTH_FAILED'> {
    this.#trace({ step, outcome: 'failed', why });
    return this.#error(step, why);
  }

  /** Converts network errors to MCP_AUTH_FAILED. As "unreachable", they would make the client retry the call and start another sign-in. */
  async #request(web: Web, request: WebRequest): Promise<WebResponse> {
    try {
      return await web(request);
    } catch (error) {
      if (error instanceof McpError && error.kind === 'auth') throw error;
      throw this.#error(request.step, networkReason(error), error);
    }
  }

  #error(step: string, why: string, cause?: unknown): McpError<'MCP_AUTH_FAILED'> {
    return new McpError('MCP_AUTH_FAILED', { url: displayUrl(this.endpoint), step, why }, { cause });
  }
}

/** Truncates and escapes text of a server, so that errors and traces can quote it. */
export const quoteText = (text: string): string => printable(text.slice(0, 200));
