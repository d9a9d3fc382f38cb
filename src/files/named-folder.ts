/** A folder that an environment variable names. As the XDG specification says, an empty or relative one counts as not set. */
import type { PlatformPath } from 'node:path';

export const namedFolder = (
  named: string | undefined,
  otherwise: string,
  { isAbsolute }: Pick<PlatformPath, 'isAbsolute'>,
): string => (named !== undefined && isAbsolute(named) ? named : otherwise);
