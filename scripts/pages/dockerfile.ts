/** Checks a Dockerfile without an engine: known instructions, FROM first, arrays that parse. */

const INSTRUCTION =
  /^(?:FROM|RUN|CMD|LABEL|EXPOSE|ENV|ADD|COPY|ENTRYPOINT|VOLUME|USER|WORKDIR|ARG|ONBUILD|STOPSIGNAL|HEALTHCHECK|SHELL)\s+\S/;

/** The first problem found. */
export function dockerfileFault(text: string): string | undefined {
  const lines = text
    .replaceAll(/\\\n/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'));
  const unknown = lines.find((line) => !INSTRUCTION.test(line));
  if (unknown !== undefined) return `there is no instruction ${unknown}`;
  if (!/^(?:FROM|ARG)\s/.test(lines[0] ?? '')) return 'it begins with no FROM';
  const stages = new Set(lines.flatMap((line) => /^FROM\s.*\sAS\s+(\S+)/i.exec(line)?.[1] ?? []));
  for (const line of lines) {
    const [, stage] = /^COPY\s+--from=(\S+)/.exec(line) ?? [];
    if (stage !== undefined && !stages.has(stage)) return `there is no stage ${stage}`;
    const [, array] = /^(?:CMD|ENTRYPOINT|SHELL|HEALTHCHECK\s.*?CMD)\s+(\[.*)$/.exec(line) ?? [];
    if (array !== undefined) JSON.parse(array);
  }
  return undefined;
}
