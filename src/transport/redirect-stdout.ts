/** Reserves a process's stdout for the protocol: output of other code goes to stderr, with the file and line that wrote it. */
import process from 'node:process';
import { fileURLToPath } from 'node:url';

/** A stack frame: the file, as a path or URL, and the line. */
const FRAME = /(?:\(|at (?:async )?)((?:file:\/\/|\/|[A-Za-z]:\\).*?):(\d+):\d+\)?$/;

/** Redirects until the returned function is called. Does not affect code that has already bound `stdout.write`. */
export function redirectStdout(): () => void {
  const { stdout, stderr } = process;
  const places = new Set<string>();
  const ignore = (): void => undefined;
  const real = stdout.write;
  let isActive = true;
  const divert = ((...args: Parameters<typeof real>): boolean => {
    // If other code has wrapped this `write`, it cannot be removed, and passes output through.
    if (!isActive) return real.apply(stdout, args);
    const place = callSite(divert);
    if (!places.has(place)) {
      places.add(place);
      stderr.write(`stray stdout from ${place}: `);
    }
    return stderr.write(...args);
  }) as typeof real; // the overloads of write differ only in omitted arguments
  stdout.write = divert;
  // If stderr is closed, a stray line must not crash the process.
  stderr.on('error', ignore);
  return () => {
    isActive = false;
    stderr.off('error', ignore);
    if (stdout.write === divert) stdout.write = real;
  };
}

/** The call site of `called`: the nearest stack frame that is not part of Node. */
function callSite(called: (...args: never[]) => unknown): string {
  const here: { stack?: string } = {};
  Error.captureStackTrace(here, called);
  for (const frame of here.stack?.split('\n') ?? []) {
    const [, file, line] = FRAME.exec(frame) ?? [];
    if (file !== undefined) return `${file.startsWith('file:') ? fileURLToPath(file) : file}:${line}`;
  }
  return 'an unknown place';
}
