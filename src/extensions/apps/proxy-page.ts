/** The page between host and view. It relays messages both ways and frames the one view that its policy names. */
import { PROXY_READY, RESOURCE_READY, SANDBOX_PREFIX } from './apps-names.ts';

/** What the page is made for. Nothing in it was written by a server. */
export interface ProxyPage {
  readonly viewUrl: string;
  /** The origin of its messages: `null` where it has no origin of its own. */
  readonly viewOrigin: string;
  readonly hostOrigin: string;
  /** The attributes of the inner frame. */
  readonly sandbox: string;
  readonly allow: string;
}

/** More is dropped here, in the process of the proxy, so that a flood does not reach the page of the host. The bridge is stricter, and says so. */
const MAX_RELAYED_PER_SECOND = 200;
const MAX_RELAYED_CHARACTERS = 2 * 1024 * 1024;

/** The policy of the page. `frame-src` pins the inner frame: a view that navigates itself away is stopped by the browser. */
export const proxyPolicy = ({ viewUrl, hostOrigin }: ProxyPage, nonce: string): string =>
  [
    `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'; frame-src ${viewUrl}`,
    `frame-ancestors ${hostOrigin}; base-uri 'none'; form-action 'none'`,
  ].join('; ');

// The source of a message is compared with a window that exists: a closed window is null, and so is a frame without one.
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
  // Addresses, origins and keywords of ours; escaped all the same, so that none could end the script.
  const settings = JSON.stringify(page).replaceAll('<', '\\u003c');
  return [
    '<!doctype html><meta charset="utf-8"><title>View</title>',
    `<style nonce="${nonce}">${style}</style>`,
    `<body><script nonce="${nonce}">const page = ${settings};${script}</script></body>`,
  ].join('\n');
}
