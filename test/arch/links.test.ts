/** All relative links and anchors of the pages have targets. */
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { expect, test } from 'vitest';
import { filesUnder } from '../../scripts/files.ts';
import { textOf } from '../support/source.ts';

const pages = [
  ...readdirSync('.').filter((file) => file.endsWith('.md')),
  ...filesUnder('docs', '.md'),
  'examples/README.md',
  'bench/README.md',
];

test('every relative link leads to something that exists', () => {
  const links = pages.flatMap((page) => linksOf(textOf(page)).map((to) => ({ page, to })));
  expect(links.length).toBeGreaterThan(200);
  expect(links.flatMap(({ page, to }) => leadsNowhere(page, to) ?? [])).toEqual([]);
});

test('the index of the documentation leads to every page', () => {
  const listed = linksOf(textOf('docs/README.md')).map((to) => join('docs', to.split('#')[0] ?? ''));
  const missing = filesUnder('docs', '.md').filter((page) => page !== 'docs/README.md' && !listed.includes(page));
  expect(missing).toEqual([]);
});

test('a file, a heading and a picture that do not exist are found', () => {
  const text = [
    '# A page',
    '[gone](gone.md) ![gone](gone.svg) [no heading](#another-page) [elsewhere](docs/errors.md#mcp_gone)',
    '[fine](#a-page), [fine](docs/errors.md#mcp_timeout), [fine](https://example.com/gone), `[code](gone.md)`',
    '```md\n[code](gone.md)\n```',
    '[by name]: gone-too.md',
  ].join('\n');
  expect(linksOf(text).flatMap((to) => leadsNowhere('CONTRIBUTING.md', to) ?? [])).toEqual([
    'CONTRIBUTING.md: gone.md',
    'CONTRIBUTING.md: gone.svg',
    'CONTRIBUTING.md: #another-page',
    'CONTRIBUTING.md: docs/errors.md#mcp_gone',
    'CONTRIBUTING.md: #a-page',
    'CONTRIBUTING.md: gone-too.md',
  ]);
});

test('headings become anchors as GitHub makes them', () => {
  const text = '# What else `ctx` can do\n## [mcp.lock](lock.md)\n## Limits\n## Limits\n```sh\n# no heading\n```';
  expect(anchorsOf(text)).toEqual(['what-else-ctx-can-do', 'mcplock', 'limits', 'limits-1']);
});

/** Targets of links and images in the repository, without those in code. */
function linksOf(text: string): string[] {
  const prose = withoutBlocks(text).replace(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/\]\(<?([^)\s>]+)[^)]*\)|^\[[^\]]+\]: +(\S+)/gm)]
    .map(([, inline, named]) => inline ?? named ?? '')
    .filter((to) => !/^[a-z][a-z+.-]*:/i.test(to));
}

function leadsNowhere(page: string, to: string): string | undefined {
  const [path = '', anchor] = to.split('#');
  const file = path === '' ? page : join(dirname(page), path);
  const fine = existsSync(file) && (anchor === undefined || anchorsOf(textOf(file)).includes(anchor));
  return fine ? undefined : `${page}: ${to}`;
}

function anchorsOf(text: string): string[] {
  const seen = new Map<string, number>();
  return [...withoutBlocks(text).matchAll(/^#{1,6} +(.+?)[ #]*$/gm)].map(([, heading = '']) => {
    const words = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const anchor = words.replace(/[^\p{L}\p{N}_\- ]/gu, '').replaceAll(' ', '-');
    const before = seen.get(anchor) ?? 0;
    seen.set(anchor, before + 1);
    return before === 0 ? anchor : `${anchor}-${before}`;
  });
}

function withoutBlocks(text: string): string {
  return text.replace(/^(\s*)(`{3,})[^`]*?\n[\s\S]*?^\s*\2\s*$/gm, '');
}
