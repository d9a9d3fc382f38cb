/** A folder that an environment variable names. As the XDG specification says, an empty or relative one counts as not set. */
export const namedFolder = (
  named: string | undefined,
  otherwise: string,
  { isAbsolute }: { isAbsolute(path: string): boolean },
): string => (named !== undefined && isAbsolute(named) ? named : otherwise);
