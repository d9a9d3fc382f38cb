/** Checks that a URL responds as an MCP endpoint, and otherwise identifies what it is. */
import { errorCodeOf } from '../../files/file-fault.ts';
import { printable } from '../../model/printable.ts';
import { type CheckedEndpoint, messageIn, type RawAnswer, type ReadBounds, typeOf } from './endpoint.ts';
import {
  type DoctorFinding,
  doctorFault,
  FatalFinding,
  type FaultDetails,
  failedFinding,
  passedFinding,
} from './finding.ts';
import { speaksTls } from './network-checks.ts';

const usualPaths = ['/mcp', '/sse', '/'];

export interface TransportAnswer {
  readonly finding: DoctorFinding;
  /** The response to `initialize`; absent for HTTP+SSE. */
  readonly answer?: RawAnswer;
}

export async function transportCheck(endpoint: CheckedEndpoint, bounds: ReadBounds): Promise<TransportAnswer> {
  const answer = await endpoint.initialize().catch(async (thrown: unknown) => {
    throw new FatalFinding('transport', await noAnswerFault(thrown, endpoint, bounds));
  });
  const { status } = answer;
  if (status === 401 || status === 403) return { finding: passedFinding('transport', `HTTP ${status}`), answer };
  const message = messageIn(answer);
  if (status < 300 && message !== undefined)
    return { finding: passedFinding('transport', `Streamable HTTP, ${typeOf(answer)}`), answer };
  if (status === 400 || status === 404 || status === 405) {
    if (await isOldTransport(endpoint))
      return { finding: failedFinding('transport', await oldTransportFault(endpoint)) };
    // A JSON-RPC error with status 400 is valid; the client reports it later.
    if (status === 400 && message !== undefined)
      return { finding: passedFinding('transport', 'Streamable HTTP'), answer };
  }
  throw new FatalFinding('transport', await responseFault(answer, endpoint));
}

async function noAnswerFault(thrown: unknown, { url }: CheckedEndpoint, bounds: ReadBounds): Promise<FaultDetails> {
  const code = errorCodeOf(thrown) ?? '';
  if (code === 'ETIMEDOUT')
    return doctorFault(
      'silent',
      'accepts the request but does not respond',
      'read the log of the server; if a proxy is in front of it, turn off response buffering there',
    );
  if (url.protocol === 'http:' && (await speaksTls(url, bounds)))
    return doctorFault('tls-expected', 'this port expects HTTPS', `use https://${url.host}${url.pathname}`);
  return doctorFault('not-mcp', `closes the connection (${code})`);
}

async function oldTransportFault(endpoint: CheckedEndpoint): Promise<FaultDetails> {
  const { origin, pathname } = endpoint.url;
  const newer = pathname !== '/mcp' && (await isStreamable(endpoint.at('/mcp')));
  return doctorFault(
    'old-transport',
    'supports only HTTP+SSE, the deprecated transport',
    newer
      ? `use ${origin}/mcp, which supports Streamable HTTP`
      : 'update the server to a version with Streamable HTTP; until then, only clients with HTTP+SSE can use it',
  );
}

async function isOldTransport(endpoint: CheckedEndpoint): Promise<boolean> {
  const answer = await endpoint.stream('answer').catch(() => undefined);
  return answer?.status === 200 && /^event: ?endpoint/m.test(answer.text);
}

async function responseFault(answer: RawAnswer, endpoint: CheckedEndpoint): Promise<FaultDetails> {
  const { status, header } = answer;
  const { url } = endpoint;
  if (status >= 300 && status < 400) return redirectFault(header('location'), url);
  if (status === 404) return wrongPathFault(endpoint);
  if (status === 405) return doctorFault('method-not-allowed', `${url.pathname} does not allow POST (HTTP 405)`);
  if (status >= 500)
    return doctorFault(
      'server-error',
      `HTTP ${status}${bodyText(answer)}`,
      status === 500
        ? 'read the log of the server'
        : 'check that the server runs, and that the proxy in front of it can reach it',
    );
  if (status < 300) return notMcpFault(answer);
  return doctorFault('refused', `HTTP ${status}${bodyText(answer)}`);
}

function redirectFault(location: string | undefined, url: URL): FaultDetails {
  const to = location !== undefined && URL.canParse(location, url) ? new URL(location, url).href : undefined;
  return doctorFault(
    'redirect',
    to === undefined ? 'redirects without a valid Location' : `redirects to ${printable(to)}`,
    to === undefined ? 'check the URL' : 'check that you trust this URL, then use it',
  );
}

async function wrongPathFault(endpoint: CheckedEndpoint): Promise<FaultDetails> {
  const { url } = endpoint;
  const found = `nothing at ${url.pathname} (HTTP 404)`;
  for (const path of usualPaths.filter((one) => one !== url.pathname))
    if (await isEndpoint(endpoint.at(path)))
      return doctorFault('wrong-path', found, `use ${url.origin}${path}, which is an MCP endpoint`);
  return {
    fault: 'wrong-path',
    found,
    fix: `check the path; there is no MCP endpoint at ${usualPaths.join(', ')} either`,
  };
}

const isEndpoint = async (endpoint: CheckedEndpoint): Promise<boolean> =>
  (await isStreamable(endpoint)) || (await isOldTransport(endpoint));

async function isStreamable(endpoint: CheckedEndpoint): Promise<boolean> {
  const answer = await endpoint.initialize().catch(() => undefined);
  if (answer === undefined) return false;
  return answer.status === 401 || (answer.status < 300 && messageIn(answer) !== undefined);
}

function notMcpFault(answer: RawAnswer): FaultDetails {
  const type = typeOf(answer);
  const what = type === 'text/html' ? 'a web page' : type === '' ? 'content without a Content-Type' : type;
  return doctorFault(
    'not-mcp',
    `returns ${what}, not a protocol message`,
    'find the URL of the MCP endpoint, which often ends in /mcp',
  );
}

const bodyText = ({ text }: RawAnswer): string => {
  const start = printable(text.trim().slice(0, 120));
  return start === '' ? '' : `: "${start}"`;
};
