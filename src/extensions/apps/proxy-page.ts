/** Generates the proxy page in the outer frame, which frames one view and relays messages between it and the host. */
import { PROXY_READY, RESOURCE_READY, SANDBOX_PREFIX } from './apps-names.ts';

/** The parameters of a proxy page. None of them is text of an MCP server. */
export interface ProxyPage {
  readonly viewUrl: string;
  /** The origin of the view's messages; `null` if the view has an opaque origin. */
  readonly viewOrigin: string;
  readonly hostOrigin: string;
  /** The `sandbox` attribute of the inner frame. */
  readonly sandbox: string;
  readonly allow: string;
}

/** Messages over this rate are dropped in the proxy's process, so that a flood does not reach the host's page. The bridge has a lower limit, and returns an error. */
const MAX_RELAYED_PER_SECOND = 200;
const MAX_RELAYED_CHARACTERS = 2 * 1024 * 1024;

/** The `Content-Security-Policy` of the proxy page. `frame-src` allows only the view's URL, so the browser blocks the view from navigating elsewhere. */
export const proxyPolicy = ({ viewUrl, hostOrigin }: ProxyPage, nonce: string): string =>
  [
    `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'; frame-src ${viewUrl}`,
    `frame-ancestors ${hostOrigin}; base-uri 'none'; form-action 'none'`,
  ].join('; ');

// Compares `source` only if the frame has a window: `source` is null for a closed window, and `contentWindow` is null for a frame without one.
const script = `
  const frame = document.createElement('iframe');
  frame.setAttribute('sandbox', page.sandbox);
  frame.setAttribute('allow', page.allow);
  let [second, count] = [0, 0];
  const isFlood = (time) => {
    const now = Math.floor(time / 1000);
    if (now !== second) [second, count] = [now, 0];
    return ++count > ${MAX_RELAYED_PER_SECOND};
  };
  const relay = (data) => {
    const text = JSON.stringify(data);
    if (text.length <= ${MAX_RELAYED_CHARACTERS}) parent.postMessage(JSON.parse(text), page.hostOrigin);
  };
  addEventListener('message', ({ data, source, origin, timeStamp }) => {
    if (typeof data !== 'object' || data === null || Array.isArray(data)) return;
    const own = String(data.method).startsWith('${SANDBOX_PREFIX}');
    const view = frame.contentWindow;
    if (source === parent && origin === page.hostOrigin) {
      if (data.method === '${RESOURCE_READY}' && view === null) {
        frame.src = page.viewUrl;
        document.body.append(frame);
      } else if (!own && view !== null) view.postMessage(data, page.viewOrigin === 'null' ? '*' : page.viewOrigin);
    } else if (view !== null && source === view && origin === page.viewOrigin && !own && !isFlood(timeStamp)) relay(data);
  });
  parent.postMessage({ jsonrpc: '2.0', method: '${PROXY_READY}', params: {} }, page.hostOrigin);
`;

const style =
  'html, body, iframe { margin: 0; border: 0; width: 100%; height: 100%; display: block; overflow: hidden }';

export function proxyHtml(page: ProxyPage, nonce: string): string {
  // Defense in depth: our own values cannot contain `</script>`, but `<` is escaped anyway.
  const settings = JSON.stringify(page).replaceAll('<', '\\u003c');
  return [
    '<!doctype html><meta charset="utf-8"><title>View</title>',
    `<style nonce="${nonce}">${style}</style>`,
    `<body><script nonce="${nonce}">const page = ${settings};${script}</script></body>`,
  ].join('\n');
}
