/** A session with raw requests, to see all statuses. */

const REVISION = '2025-11-25';
const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };

export class RawSession {
  readonly #url: string;
  readonly #id: string;
  #calls = 0;

  private constructor(url: string, id: string) {
    this.#url = url;
    this.#id = id;
  }

  static async open(url: string): Promise<RawSession> {
    const clientInfo = { name: 'raw', version: '1' };
    const params = { protocolVersion: REVISION, capabilities: {}, clientInfo };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params });
    const met = await fetch(url, { method: 'POST', headers, body });
    await met.text();
    const id = met.headers.get('mcp-session-id');
    if (id === null) throw new Error(`initialize: status ${met.status}`);
    const session = new RawSession(url, id);
    await session.#post({ jsonrpc: '2.0', method: 'notifications/initialized' });
    return session;
  }

  /** Returns the last text in the response. */
  async call(tool: string, key: string): Promise<{ readonly status: number; readonly text: string }> {
    const params = { name: tool, arguments: { key } };
    const response = await this.#post({ jsonrpc: '2.0', id: ++this.#calls, method: 'tools/call', params });
    const text = /"text":"([^"]*)"/.exec(response.body)?.[1] ?? response.body.slice(0, 160);
    // An error in a response with status 200 is a failure, too.
    const isError = /"error":|"isError":true/.test(response.body);
    return { status: isError && response.status === 200 ? 500 : response.status, text };
  }

  async #post(message: object): Promise<{ readonly status: number; readonly body: string }> {
    const response = await fetch(this.#url, {
      method: 'POST',
      headers: { ...headers, 'Mcp-Session-Id': this.#id, 'MCP-Protocol-Version': REVISION },
      body: JSON.stringify(message),
    });
    return { status: response.status, body: await response.text() };
  }
}
