/** The way to an address: its name, a connection, and what it shows of itself under TLS. */
import { lookup } from 'node:dns/promises';
import { connect as connectTcp, type Socket } from 'node:net';
import { checkServerIdentity, connect as connectTls, type PeerCertificate, type TLSSocket } from 'node:tls';
import type { Clock } from '../../peer/clock.ts';
import { type DoctorFinding, FatalFinding, type FaultDetails, passedFinding } from './finding.ts';
import type { ReadBounds } from './raw-http.ts';

/** A connection that takes longer will not come. */
const PATIENCE_MS = 10_000;

const bare = (hostname: string): string => hostname.replace(/^\[|\]$/g, '');
const portOf = ({ port, protocol }: URL): number => Number(port) || (protocol === 'https:' ? 443 : 80);
const codeOf = (thrown: unknown): string => (thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '');

export async function nameCheck({ hostname }: URL): Promise<DoctorFinding> {
  try {
    const { address } = await lookup(bare(hostname));
    return passedFinding('name', address === bare(hostname) ? address : `${hostname} resolves to ${address}`);
  } catch (thrown) {
    throw new FatalFinding('name', {
      fault: 'name-not-found',
      found: `the host name ${hostname} cannot be resolved (${codeOf(thrown)})`,
      fix: 'check the spelling; if it is right, check the network, the VPN and the DNS entry',
    });
  }
}

export async function connectionCheck(url: URL, bounds: ReadBounds): Promise<DoctorFinding> {
  const port = portOf(url);
  const at = `${url.hostname}:${port}`;
  try {
    (await opened(connectTcp({ host: bare(url.hostname), port }), 'connect', bounds)).destroy();
    return passedFinding('connection', at);
  } catch (thrown) {
    throw new FatalFinding('connection', connectionFault(codeOf(thrown), at));
  }
}

function connectionFault(code: string, at: string): FaultDetails {
  if (code === 'ECONNREFUSED')
    return {
      fault: 'connection-refused',
      found: `no server listens at ${at}`,
      fix: 'start the server, or check the port; a container must publish its port',
    };
  if (code === 'ETIMEDOUT')
    return {
      fault: 'connection-timeout',
      found: `${at} does not respond`,
      fix: 'check the URL, and whether a firewall or a VPN blocks the connection',
    };
  return {
    fault: 'unreachable',
    found: `${at} cannot be reached (${code})`,
    fix: 'check the URL and the network',
  };
}

/** What went wrong with TLS is told apart: a certificate is looked at even if it is not trusted. */
export async function certificateCheck(url: URL, bounds: ReadBounds): Promise<DoctorFinding> {
  const host = bare(url.hostname);
  const servername = /^[\d.]+$|:/.test(host) ? {} : { servername: host };
  let socket: TLSSocket;
  try {
    socket = connectTls({ host, port: portOf(url), rejectUnauthorized: false, ...servername });
    await opened(socket, 'secureConnect', bounds);
  } catch (thrown) {
    throw new FatalFinding('certificate', tlsFault(codeOf(thrown), url));
  }
  const fault = certificateFault(
    { certificate: socket.getPeerCertificate(), host, clock: bounds.clock },
    socket.authorizationError,
  );
  const until = socket.getPeerCertificate().valid_to;
  socket.destroy();
  if (fault !== undefined) throw new FatalFinding('certificate', fault);
  return passedFinding('certificate', `valid until ${until}`);
}

/** Whether TLS is spoken there. */
export async function speaksTls(url: URL, bounds: ReadBounds): Promise<boolean> {
  try {
    const options = { host: bare(url.hostname), port: portOf(url), rejectUnauthorized: false };
    (await opened(connectTls(options), 'secureConnect', bounds)).destroy();
    return true;
  } catch {
    return false;
  }
}

function tlsFault(code: string, { host }: URL): FaultDetails {
  if (/WRONG_VERSION_NUMBER|EPROTO|PACKET_LENGTH/.test(code))
    return {
      fault: 'plain-http',
      found: 'this port does not use TLS',
      fix: `use http://${host}…, or set up TLS on this port`,
    };
  return {
    fault: 'tls-failed',
    found: `the TLS handshake fails (${code})`,
    fix: 'check that this is the HTTPS port, and read the log of the server',
  };
}

interface Shown {
  readonly certificate: PeerCertificate;
  readonly host: string;
  readonly clock: Clock;
}

/** The order is that of what is easiest to see: who it is for and how long, then who vouches for it. */
function certificateFault(
  { certificate, host, clock }: Shown,
  untrusted: Error | string | null,
): FaultDetails | undefined {
  if (Date.parse(certificate.valid_to) < clock.wall())
    return {
      fault: 'certificate-expired',
      found: `the certificate expired on ${certificate.valid_to}`,
      fix: 'renew the certificate',
    };
  if (checkServerIdentity(host, certificate) !== undefined)
    return {
      fault: 'certificate-name',
      found: `the certificate is for ${certificate.subjectaltname ?? certificate.subject?.CN ?? 'no name'}, not for ${host}`,
      fix: 'use the host name of the certificate, or get a certificate for this name',
    };
  if (!untrusted) return undefined;
  return {
    fault: 'certificate-untrusted',
    found: `the certificate is not trusted on this machine (${String(untrusted)})`,
    fix: 'send the whole certificate chain from the server; for your own certificate, set NODE_EXTRA_CA_CERTS to the file of its authority',
  };
}

function opened<S extends Socket>(socket: S, event: 'connect' | 'secureConnect', bounds: ReadBounds): Promise<S> {
  const { clock, signal } = bounds;
  return new Promise((resolve, reject) => {
    const late = clock.after(PATIENCE_MS, () => {
      socket.destroy();
      reject(Object.assign(new Error('too late'), { code: 'ETIMEDOUT' }));
    });
    const stop = (): void => void socket.destroy(new Error('cancelled'));
    signal.addEventListener('abort', stop, { once: true });
    socket.once('close', () => signal.removeEventListener('abort', stop));
    socket.once(event, () => {
      late();
      resolve(socket);
    });
    socket.on('error', (thrown) => {
      late();
      reject(thrown);
    });
  });
}
