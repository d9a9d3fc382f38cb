/** Findings of `mooring doctor`: the checks, the faults and their usual fixes. */

/** In the order in which they run. Checks that do not apply to a target are left out. */
export const checks = [
  'configuration',
  'command',
  'name',
  'connection',
  'certificate',
  'transport',
  'authorization',
  'start',
  'revision',
  'session',
  'streams',
  'lists',
  'schemas',
  'results',
  'output',
] as const;
export type Check = (typeof checks)[number];

/** The usual fix for each fault. Fault names are stable API: scripts match them in `--json`. */
const usualFixes = {
  'bad-configuration': 'fix this line; clients ignore the file or skip this server until it is valid',
  'missing-folder': 'create the folder, or change "cwd"',
  'name-not-found': 'check the spelling; if it is right, check the network, the VPN and the DNS entry',
  'connection-refused': 'start the server, or check the port; a container must publish its port',
  'connection-timeout': 'check the URL, and whether a firewall or a VPN blocks the connection',
  unreachable: 'check the URL and the network',
  'tls-failed': 'check that this is the HTTPS port, and read the log of the server',
  'certificate-expired': 'renew the certificate',
  'certificate-name': 'use the host name of the certificate in the URL, or get a certificate for this name',
  'certificate-untrusted':
    'send the whole certificate chain from the server; for your own certificate, set NODE_EXTRA_CA_CERTS to the file of its authority',
  'method-not-allowed': 'check the path; a proxy must let POST, GET and DELETE through',
  'not-mcp': 'check that an HTTP server listens on this port',
  'host-refused':
    'use a host name that the server allows, or add this one to its settings (allowedHosts, allowedOrigins)',
  refused: 'check that this is the URL of an MCP endpoint, and which headers it requires (--header)',
  silent: 'check that the command serves MCP over stdio; some need an argument such as "stdio"',
  'sign-in-needed': 'sign in with `mooring login`, or pass --header "Authorization: Bearer …"',
  'token-refused': 'get a new token for this server, with the scopes that it requires',
  'no-resource-metadata':
    'publish protected resource metadata (RFC 9728) on the server, or pass --header "Authorization: Bearer …"',
  'spawn-failed': 'run the command in a terminal',
  exits: 'check the command and its arguments; a server must run until its standard input ends',
  'bad-messages':
    'print only protocol messages to standard output, one line of JSON each, and everything else to standard error',
  'slow-start':
    'install the server instead of downloading it on every start (npx), or raise the start timeout of the application',
  'no-common-revision': 'update the server; if you passed --revision, leave it out',
  'refuses-to-open': 'read the log of the server; initialize or server/discover must succeed',
  'session-lost': 'use sticky sessions (route by Mcp-Session-Id), or share a session store between the processes',
  'buffered-stream':
    'turn off response buffering in the proxy (nginx: `proxy_buffering off;`) and compression of text/event-stream',
  'too-large': 'send less at once: split long lists into pages (nextCursor)',
  'output-mismatch': 'correct the tool or its outputSchema; clients reject such a result',
  'tool-failed': 'read the log of the server',
  'stray-output': 'print to standard error (console.error, print(…, file=sys.stderr)); many clients disconnect',
} as const;

type FaultWithFix = keyof typeof usualFixes;
/** The other faults have no usual fix: it depends on what was found. */
export type DoctorFault =
  | FaultWithFix
  | 'missing-variable'
  | 'command-not-found'
  | 'not-executable'
  | 'plain-http'
  | 'tls-expected'
  | 'wrong-path'
  | 'redirect'
  | 'forbidden'
  | 'server-error'
  | 'old-transport'
  | 'wrong-resource'
  | 'serves-nothing'
  | 'wrong-runtime'
  | 'missing-module'
  | 'bad-module'
  | 'list-failed'
  | 'malformed-item'
  | 'duplicate-name'
  | 'bad-schema';

export interface DoctorFinding {
  readonly check: Check;
  readonly holds: boolean;
  readonly found: string;
  readonly fault?: DoctorFault;
  readonly fix?: string;
  /** The check was not run. Shown with its own mark; not part of `--json`. */
  readonly isSkipped?: true;
}

export const skippedFinding = (check: Check, why: string): DoctorFinding => ({
  check,
  holds: true,
  found: `skipped: ${why}`,
  isSkipped: true,
});

export const passedFinding = (check: Check, found: string): DoctorFinding => ({ check, holds: true, found });

export interface FaultDetails {
  readonly fault: DoctorFault;
  readonly found: string;
  readonly fix: string;
}

type FaultArguments = readonly [FaultWithFix, string] | readonly [DoctorFault, string, string];

/** Adds the usual fix, unless another one is given. */
export const doctorFault = (...[fault, found, fix]: FaultArguments): FaultDetails => ({
  fault,
  found,
  fix: fix ?? usualFixes[fault as FaultWithFix],
}); // a fault without a fix is a FaultWithFix, by FaultArguments

export const failedFinding = (check: Check, ...fault: FaultArguments | readonly [FaultDetails]): DoctorFinding => ({
  check,
  holds: false,
  ...(fault.length === 1 ? fault[0] : doctorFault(...fault)),
});

/** Thrown by a check on which all later checks depend. */
export class FatalFinding extends Error {
  readonly finding: DoctorFinding;

  constructor(check: Check, ...fault: FaultArguments | readonly [FaultDetails]) {
    const finding = failedFinding(check, ...fault);
    super(finding.found);
    this.finding = finding;
  }
}
