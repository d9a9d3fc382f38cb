/** `~` at the start of a path is the home folder, as in a shell. */
export const expandHome = (path: string, home: string): string =>
  /^~(?:$|[/\\])/.test(path) ? home + path.slice(1) : path;
