/** Generates the reference, one page per entry point: each export with its declaration and comment. */
import { existsSync, readFileSync } from 'node:fs';
import { type Declared, declarations } from './surface.ts';

/** One sentence about each entry point. */
const entryPoints = new Map([
  ['.', 'Writing servers, on any runtime: parts, what handlers get, errors, HTTP as a function of web requests.'],
  ['./node', 'Serving over HTTP with `node:http`: a listener of its own, or a handler to mount.'],
  ['./stdio', 'Serving over the standard streams of a process.'],
  ['./client', 'Using servers: `connect`, and what a client does.'],
  ['./auth', 'Authorization: getting tokens, and judging them.'],
  ['./host', 'Many servers behind one policy: consent, audit, catalogue, lock, models, agents.'],
  ['./gateway', 'One server in front of many: names, lists, policy, questions across revisions.'],
  ['./transport', 'What it takes to write another transport.'],
  ['./skills', 'Serving folders of Agent Skills.'],
  ['./apps', 'Apps: pages that hosts show beside the results of tools.'],
  ['./view', 'The page of an app, inside its host.'],
  ['./sandbox', 'Serving the pages of apps from a sandbox, for hosts.'],
  ['./frame', 'Showing the page of an app in the page of a host.'],
  ['./tasks', 'Keeping tasks: stores in memory, in SQLite and in Redis, and what it takes to write another.'],
  ['./redis', 'Sharing sessions, events, changes, rates and tasks between processes, in Redis or another store.'],
  ['./otel', 'OpenTelemetry: spans and durations of servers, clients and hosts.'],
  ['./testing', 'Testing servers and clients in any test runner, without a socket.'],
]);

interface Exports {
  readonly name: string;
  readonly exports: Readonly<Record<string, { readonly types?: string }>>;
}

/** The pages by path. Throws if the build is missing. */
export function referencePages(): Map<string, string> {
  const { name, exports } = JSON.parse(readFileSync('package.json', 'utf8')) as Exports; // our own file
  const pages = new Map<string, string>();
  for (const [entryPoint, { types }] of Object.entries(exports)) {
    if (types === undefined) continue;
    if (!existsSync(types)) throw new Error(`${types} is missing; run \`npm run build\` first`);
    const about = entryPoints.get(entryPoint);
    if (about === undefined)
      throw new Error(`scripts/reference.ts has no sentence about the entry point "${entryPoint}"`);
    const path = `docs/reference/api/${entryPoint === '.' ? 'mooring' : entryPoint.slice(2)}.md`;
    pages.set(path, page(entryPoint.replace('.', name), about, declarations(types.slice(2))));
  }
  return pages;
}

/** Names without a comment; they fail the check. */
export function undocumented(): string[] {
  return [...referencePages()].flatMap(([path, text]) =>
    [...text.matchAll(/^### `([^`]+)`\n\n```/gm)].map(([, name]) => `${path}: ${name} says nothing about itself`),
  );
}

function page(entryPoint: string, about: string, all: readonly Declared[]): string {
  const values = all.filter(({ text }) => /^export (?:declare )?(?:abstract )?(?:class|const|function)/.test(text));
  const types = all.filter((one) => !values.includes(one));
  return [
    `# ${entryPoint}`,
    `<!-- Written by \`npm run docs\` from the source; change the comments there. -->`,
    about,
    ...section('Values', values),
    ...section('Types', types),
    '',
  ]
    .join('\n\n')
    .replace(/\n+$/, '\n');
}

function section(title: string, all: readonly Declared[]): string[] {
  if (all.length === 0) return [];
  return [
    `## ${title}`,
    ...all.map(({ name, about, text }) =>
      [`### \`${name}\``, ...(about === '' ? [] : [about]), fenced(text)].join('\n\n'),
    ),
  ];
}

const fenced = (text: string): string =>
  `\`\`\`ts\n${text
    .replace(/^export (?:declare )?/gm, '')
    .replace(/^ {4}#private;\n/gm, '')
    .replaceAll('    ', '  ')}\n\`\`\``;
