/** The web of the OAuth chain, answered by functions of `Request` in this process. */
import type { Web, WebRequest } from '../../src/auth/web.ts';

export type Fetch = (input: string, init: RequestInit) => Promise<Response>;

export const fetched =
  (fetch: Fetch): Web =>
  async ({ method, url, headers, body }: WebRequest) => {
    const isForm = body instanceof URLSearchParams;
    const type = body === undefined ? {} : { 'content-type': isForm ? FORM : 'application/json' };
    const sent = body === undefined ? {} : { body: isForm ? String(body) : JSON.stringify(body.json) };
    const response = await fetch(url, { method, headers: { ...headers, ...type }, ...sent });
    const text = await response.text();
    return {
      status: response.status,
      header: (name) => response.headers.get(name) ?? undefined,
      json: readable(text),
    };
  };

const FORM = 'application/x-www-form-urlencoded';

function readable(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
