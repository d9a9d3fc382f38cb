/** What an examination finds: check by check, in an order in which each builds on those before it. */

/** In their order. What does not apply to a target is left out. */
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

/** The names of faults are promised, as exit codes are: programs look for them in `--json`. */
export type DoctorFault =
  | 'bad-configuration'
  | 'missing-variable'
  | 'missing-folder'
  | 'command-not-found'
  | 'not-executable'
  | 'name-not-found'
  | 'connection-refused'
  | 'connection-timeout'
  | 'unreachable'
  | 'plain-http'
  | 'tls-expected'
  | 'tls-failed'
  | 'certificate-expired'
  | 'certificate-name'
  | 'certificate-untrusted'
  | 'wrong-path'
  | 'method-not-allowed'
  | 'not-mcp'
  | 'redirect'
  | 'host-refused'
  | 'forbidden'
  | 'server-error'
  | 'refused'
  | 'silent'
  | 'old-transport'
  | 'sign-in-needed'
  | 'token-refused'
  | 'no-resource-metadata'
  | 'wrong-resource'
  | 'spawn-failed'
  | 'exits'
  | 'serves-nothing'
  | 'wrong-runtime'
  | 'missing-module'
  | 'bad-module'
  | 'bad-messages'
  | 'slow-start'
  | 'no-common-revision'
  | 'refuses-to-open'
  | 'session-lost'
  | 'buffered-stream'
  | 'too-large'
  | 'list-failed'
  | 'malformed-item'
  | 'duplicate-name'
  | 'bad-schema'
  | 'output-mismatch'
  | 'tool-failed'
  | 'stray-output';

export interface DoctorFinding {
  readonly check: Check;
  readonly holds: boolean;
  readonly found: string;
  readonly fault?: DoctorFault;
  readonly fix?: string;
  /** Nothing was tried. Shown as a mark of its own, and not part of `--json`. */
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

export const failedFinding = (check: Check, { fault, found, fix }: FaultDetails): DoctorFinding => ({
  check,
  holds: false,
  fault,
  found,
  fix,
});

/** Thrown where going on makes no sense. */
export class FatalFinding extends Error {
  readonly finding: DoctorFinding;

  constructor(check: Check, fault: FaultDetails) {
    super(fault.found);
    this.finding = failedFinding(check, fault);
  }
}
