/** Generates `llms.txt`, the index of the documentation for coding agents, from `docs/README.md`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const { description } = JSON.parse(readFileSync('package.json', 'utf8')) as { description: string }; // our own file

export function llmsText(): string {
  const [start = ''] = readFileSync('docs/README.md', 'utf8').split(/^## Words$/m);
  const [steps = '', ...sections] = start.split(/^## /m);
  const first = [...steps.matchAll(/^\d\. (\[.+\]\(.+\): .+)$/gm)].map(([, step = '']) => `- ${fromRoot(step)}`);
  const lists = sections.map((section) => {
    const rows = [...section.matchAll(/^\| (.+?) \| (.+?) \|$/gm)];
    const title = section.slice(0, section.indexOf('\n'));
    return `## ${title}\n\n${rows.flatMap(([, left = '', right = '']) => entries(left, right)).join('\n')}`;
  });
  return `# Mooring

> ${description}

Paths are relative to this file. Each page runs as printed, in an empty folder with the installed package. The declarations (\`dist/**/*.d.ts\`) document every export.

## Begin

${first.join('\n')}

${lists.join('\n\n')}
`;
}

/** A line for each linked page. The column without links describes them, or has a description for each. */
function entries(left: string, right: string): readonly string[] {
  const [linked, about] = left.includes('](') ? [left, right] : [right, left];
  const each = about.split(' · ');
  const links = [...linked.matchAll(/\[([^\]]+)\]\(([^)]+)\)/g)];
  return links.map(
    ([, title = '', path = ''], at) =>
      `- ${fromRoot(`[${title.replaceAll('`', '')}](${path})`)}: ${each.length === links.length ? each[at] : about}`,
  );
}

const fromRoot = (text: string): string =>
  text.replace(/\]\(([^)]+)\)/, (_, path: string) => `](${join('docs', path)})`);
