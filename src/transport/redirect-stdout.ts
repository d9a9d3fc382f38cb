/** Keeps a process's stdout for the protocol: what other code writes there goes to stderr, with the place it came from. */
import process from 'node:process';
import { fileURLToPath } from 'node:url';

/** A frame of a stack: the file, as a path or a URL, and the line. */
const FRAME = /(?:\(|at (?:async )?)((?:file:\/\/|\/|[A-Za-z]:\\).*?):(\d+):\d+\)?$/;

/** From now on, until the returned function is called. Code that holds the real `write` keeps it. */
export function redirectStdout(): () => void {
  const { stdout, stderr } = process;
  const places = new Set<string>();
  const ignore = (): void => undefined;
  const real = stdout.write;
  let claimed = true;
  const divert = ((...args: Parameters<typeof real>): boolean => {
    // Other code can have put another `write` around this one; then it stays, and passes everything on.
    if (!claimed) return real.apply(stdout, args);
    const place = callSite(divert);
    if (!places.has(place)) {
      places.add(place);
      stderr.write(`stray stdout from ${place}: `);
    }
    return stderr.write(...args);
  }) as typeof real; // the overloads of write differ only in which arguments are left out
  stdout.write = divert;
  // Where stderr is closed, a stray line must not end the process.
  stderr.on('error', ignore);
  return () => {
    claimed = false;
    stderr.off('error', ignore);
    if (stdout.write === divert) stdout.write = real;
  };
}

/** Where `called` was called from: the nearest file that is not part of Node. */
function callSite(called: (...args: never[]) => unknown): string {
  const here: { stack?: string } = {};
  Error.captureStackTrace(here, called);
  for (const frame of here.stack?.split('\n') ?? []) {
    const [, file, line] = FRAME.exec(frame) ?? [];
    if (file !== undefined) return `${file.startsWith('file:') ? fileURLToPath(file) : file}:${line}`;
  }
  return 'an unknown place';
}
