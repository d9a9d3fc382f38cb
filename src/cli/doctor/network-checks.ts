/** Checks the network path to a URL: DNS, TCP connection and TLS certificate. */
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { connect as connectTcp, type Socket } from 'node:net';
import { checkServerIdentity, connect as connectTls, type PeerCertificate, type TLSSocket } from 'node:tls';
import { errorCodeOf } from '../../files/file-fault.ts';
import type { Clock } from '../../peer/clock.ts';
import { untilAborted, withTimeout } from '../../peer/wait.ts';
import type { ReadBounds } from './endpoint.ts';
import { type DoctorFinding, doctorFault, FatalFinding, type FaultDetails, passedFinding } from './finding.ts';

const TIMEOUT_MS = 10_000;

const withoutBrackets = (hostname: string): string => hostname.replace(/^\[|\]$/g, '');
const portOf = ({ port, protocol }: URL): number => Number(port) || (protocol === 'https:' ? 443 : 80);

export async function nameCheck({ hostname }: URL): Promise<DoctorFinding> {
  try {
    const { address } = await lookup(withoutBrackets(hostname));
    return passedFinding(
      'name',
      address === withoutBrackets(hostname) ? address : `${hostname} resolves to ${address}`,
    );
  } catch (thrown) {
    throw new FatalFinding(
      'name',
      'name-not-found',
      `the host name ${hostname} cannot be resolved (${errorCodeOf(thrown)})`,
    );
  }
}

export async function connectionCheck(url: URL, bounds: ReadBounds): Promise<DoctorFinding> {
  const port = portOf(url);
  const at = `${url.hostname}:${port}`;
  try {
    (await openSocket(connectTcp({ host: withoutBrackets(url.hostname), port }), 'connect', bounds)).destroy();
    return passedFinding('connection', at);
  } catch (thrown) {
    throw new FatalFinding('connection', connectionFault(errorCodeOf(thrown), at));
  }
}

function connectionFault(code: string | undefined, at: string): FaultDetails {
  if (code === 'ECONNREFUSED') return doctorFault('connection-refused', `no server listens at ${at}`);
  if (code === 'ETIMEDOUT') return doctorFault('connection-timeout', `${at} does not respond`);
  return doctorFault('unreachable', `${at} cannot be reached (${code})`);
}

/** Connects with `rejectUnauthorized: false`, so that an untrusted certificate can still be inspected. */
export async function certificateCheck(url: URL, bounds: ReadBounds): Promise<DoctorFinding> {
  const host = withoutBrackets(url.hostname);
  const servername = /^[\d.]+$|:/.test(host) ? {} : { servername: host };
  let socket: TLSSocket;
  try {
    socket = connectTls({ host, port: portOf(url), rejectUnauthorized: false, ...servername });
    await openSocket(socket, 'secureConnect', bounds);
  } catch (thrown) {
    throw new FatalFinding('certificate', tlsFault(errorCodeOf(thrown), url));
  }
  const certificate = socket.getPeerCertificate();
  const fault = certificateFault(certificate, host, bounds.clock, socket.authorizationError);
  socket.destroy();
  if (fault !== undefined) throw new FatalFinding('certificate', fault);
  return passedFinding('certificate', `valid until ${certificate.valid_to}`);
}

export async function speaksTls(url: URL, bounds: ReadBounds): Promise<boolean> {
  try {
    const options = { host: withoutBrackets(url.hostname), port: portOf(url), rejectUnauthorized: false };
    (await openSocket(connectTls(options), 'secureConnect', bounds)).destroy();
    return true;
  } catch {
    return false;
  }
}

function tlsFault(code: string | undefined = '', { host }: URL): FaultDetails {
  if (/WRONG_VERSION_NUMBER|EPROTO|PACKET_LENGTH/.test(code))
    return doctorFault('plain-http', 'this port does not use TLS', `use http://${host}…, or set up TLS on this port`);
  return doctorFault('tls-failed', `the TLS handshake fails (${code})`);
}

/** Checks the expiry and the host name before the trust chain: they explain more. */
function certificateFault(
  certificate: PeerCertificate,
  host: string,
  clock: Clock,
  untrusted: Error | string | null,
): FaultDetails | undefined {
  if (Date.parse(certificate.valid_to) < clock.wall())
    return doctorFault('certificate-expired', `the certificate expired on ${certificate.valid_to}`);
  if (checkServerIdentity(host, certificate) !== undefined)
    return doctorFault(
      'certificate-name',
      `the certificate is for ${certificate.subjectaltname ?? certificate.subject?.CN ?? 'no name'}, not for ${host}`,
    );
  if (!untrusted) return undefined;
  return doctorFault('certificate-untrusted', `the certificate is not trusted on this machine (${String(untrusted)})`);
}

async function openSocket<S extends Socket>(
  socket: S,
  event: 'connect' | 'secureConnect',
  { clock, signal }: ReadBounds,
): Promise<S> {
  try {
    const isOpen = await untilAborted(withTimeout(TIMEOUT_MS, clock, once(socket, event)), signal);
    if (isOpen === undefined) throw Object.assign(new Error('too late'), { code: 'ETIMEDOUT' });
    return socket;
  } catch (thrown) {
    socket.destroy();
    throw thrown;
  } finally {
    // A later socket error would be an uncaught exception.
    socket.on('error', () => undefined);
  }
}
