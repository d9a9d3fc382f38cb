/** One secret in the system's keychain, by the command that the system has for it. The secret is never an argument of that command. */
import { execFile } from 'node:child_process';
import type { Shell } from '../shell.ts';

export interface Keychain {
  /** Undefined where it holds none. Rejects where there is no keychain, or it stays locked. */
  read(): Promise<string | undefined>;
  write(secret: string): Promise<void>;
}

interface KeychainDialect {
  readonly command: string;
  readonly read: readonly string[];
  /** Whether it says that there is no such secret, and not that it could not look. */
  isMissing(ran: Ran): boolean;
  readonly write: readonly string[];
  /** What the command reads to write a secret, which has no characters that mean anything to it. */
  input(secret: string): string;
}

interface Ran {
  readonly code: number | string;
  readonly stdout: string;
  readonly stderr: string;
}

/** The user can be asked to unlock it. */
const UNLOCK_MS = 60_000;
const MAX_BYTES = 4_096;

/** Windows has no such command: its Credential Manager shows no secret to a command line. */
const dialects: Readonly<Record<string, KeychainDialect>> = {
  linux: {
    command: 'secret-tool',
    read: ['lookup', 'service', 'mooring', 'account', 'credentials'],
    isMissing: ({ code, stderr }) => code === 1 && stderr.trim() === '',
    write: ['store', '--label=Mooring credentials', 'service', 'mooring', 'account', 'credentials'],
    input: (secret) => secret,
  },
  darwin: {
    command: 'security',
    read: ['find-generic-password', '-s', 'mooring', '-a', 'credentials', '-w'],
    isMissing: ({ code }) => code === 44,
    write: ['-i'],
    input: (secret) => `add-generic-password -U -s mooring -a credentials -w ${secret}\n`,
  },
};

/** Undefined on systems without a command for it. The secret is letters and digits. */
export function systemKeychain({
  platform,
  env,
  signal,
}: Pick<Shell, 'platform' | 'env' | 'signal'>): Keychain | undefined {
  const dialect = dialects[platform];
  if (dialect === undefined) return undefined;
  const run = (args: readonly string[], input = ''): Promise<Ran> =>
    new Promise((resolve) => {
      const options = { env, signal, timeout: UNLOCK_MS, maxBuffer: MAX_BYTES, windowsHide: true };
      const child = execFile(dialect.command, [...args], options, (error, stdout, stderr) =>
        resolve({ code: error?.code ?? (error === null ? 0 : 'ended'), stdout, stderr }),
      );
      // A command that is not there reads nothing.
      child.stdin?.on('error', () => undefined);
      child.stdin?.end(input);
    });
  const read = async (): Promise<string | undefined> => {
    const ran = await run(dialect.read);
    if (ran.code === 0) return ran.stdout.trim();
    if (dialect.isMissing(ran)) return undefined;
    throw new Error(`${dialect.command} failed (${ran.code})`);
  };
  return {
    read,
    async write(secret) {
      await run(dialect.write, dialect.input(secret));
      // One of them succeeds whatever happened.
      if ((await read()) !== secret) throw new Error(`${dialect.command} did not keep it`);
    },
  };
}
