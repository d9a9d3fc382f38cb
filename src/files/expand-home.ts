/** Expands `~` at the start of a path to the home folder, as shells do. */
export const expandHome = (path: string, home: string): string =>
  /^~(?:$|[/\\])/.test(path) ? home + path.slice(1) : path;
