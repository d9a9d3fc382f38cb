/** Parses the comment above a code block of a page. */

export interface RunMarker {
  readonly kind: 'run';
  readonly exit: number;
  /** Typed on a terminal, one item each time the program waits. */
  readonly input?: string;
  readonly terminal: boolean;
  /** The command runs until the page ends; the page continues when this text is printed. */
  readonly until?: string;
}

export interface OutputMarker {
  readonly kind: 'output';
  /** First and last line shown, from 1. */
  readonly lines?: readonly [first: number, last: number];
  /** Waits until the background command has printed this since the last output block. */
  readonly until?: string;
}

export type Marker =
  | { readonly kind: 'file'; readonly path: string }
  | RunMarker
  | OutputMarker
  | { readonly kind: 'from'; readonly source: string }
  | { readonly kind: 'shape' }
  | { readonly kind: 'not run'; readonly reason: string };

/** Throws if the comment is not a valid marker. */
export function parseMarker(comment: string): Marker {
  const [, name = '', rest = ''] = /^(file|run|output|from|shape|not run)\b:?\s*(.*)$/s.exec(comment) ?? [];
  if (name === 'shape' && rest === '') return { kind: 'shape' };
  if (name === 'run') return runMarker(rest);
  if (name === 'output') return outputMarker(rest);
  if (name === 'file' && isInside(rest)) return { kind: 'file', path: rest };
  if (name === 'from' && /^examples\/\S+$/.test(rest)) return { kind: 'from', source: rest };
  if (name === 'not run' && rest.length > 5) return { kind: 'not run', reason: rest };
  throw new Error(`<!-- ${comment} --> is no marker; CONTRIBUTING.md lists them`);
}

/** A path inside the folder of the page. */
function isInside(path: string): boolean {
  return /^[\w.[][\w./@[\]-]*$/.test(path) && !path.split('/').includes('..');
}

function runMarker(rest: string): RunMarker {
  let [exit, terminal] = [0, false];
  let input: string | undefined;
  let until: string | undefined;
  for (const option of options(rest)) {
    const [, code] = /^exit (\d+)$/.exec(option) ?? [];
    const [, typed] = /^input (".*")$/.exec(option) ?? [];
    const [, awaited] = /^background until (".*")$/.exec(option) ?? [];
    if (code !== undefined) exit = Number(code);
    else if (typed !== undefined) input = text(typed);
    else if (awaited !== undefined) until = text(awaited);
    else if (option === 'terminal') terminal = true;
    else throw new Error(`"${option}" is no option of a run block: exit, input, terminal, background until`);
  }
  return {
    kind: 'run',
    exit,
    terminal: terminal || input !== undefined,
    ...(input === undefined ? {} : { input }),
    ...(until === undefined ? {} : { until }),
  };
}

function outputMarker(rest: string): OutputMarker {
  let lines: [number, number] | undefined;
  let until: string | undefined;
  for (const option of options(rest)) {
    const [, first, last] = /^lines (\d+)-(\d+)$/.exec(option) ?? [];
    const [, awaited] = /^until (".*")$/.exec(option) ?? [];
    if (first !== undefined) lines = [Number(first), Number(last)];
    else if (awaited !== undefined) until = text(awaited);
    else throw new Error(`"${option}" is no option of an output block: lines 1-6, until "…"`);
  }
  return { kind: 'output', ...(lines === undefined ? {} : { lines }), ...(until === undefined ? {} : { until }) };
}

/** Split at commas outside of quotes. */
function options(rest: string): string[] {
  return (rest.match(/(?:"(?:\\.|[^"\\])*"|[^,"])+/g) ?? []).map((option) => option.trim());
}

function text(quoted: string): string {
  const value: unknown = JSON.parse(quoted);
  if (typeof value === 'string') return value;
  throw new Error(`${quoted} is no text in quotes`);
}
