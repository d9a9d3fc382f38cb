/** A command line as a list of arguments. Quotes keep spaces together; nothing is expanded, because no shell reads it. */
export function splitCommand(line: string): string[] {
  const parts = line.matchAll(/(?:"((?:\\.|[^"\\])*)"|'([^']*)'|(\S+))/g);
  return [...parts].map(([, double, single, plain]) => double?.replaceAll(/\\(["\\])/g, '$1') ?? single ?? plain ?? '');
}
