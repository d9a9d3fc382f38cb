/** The published package: it is built first, and its pages link only to files that it contains. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> }; // our own file

test('packing builds first, so that no package is published without its code', () => {
  expect(scripts['prepack']).toBe('npm run build');
});

const packed = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts', '--loglevel=error'], {
  encoding: 'utf8',
});
const [{ files }] = JSON.parse(packed) as [{ files: { path: string }[] }]; // npm prints one entry per package, and there is one
const paths = new Set(files.map(({ path }) => path));

test('pictures of the workbench are in the repository, small, on a page, and not in the package', () => {
  const pages = ['README.md', 'docs/guide/workbench.md'].map((page) => readFileSync(page, 'utf8'));
  const names = readdirSync('docs/images');
  expect(names.length).toBeGreaterThan(3);
  for (const name of names) {
    expect(statSync(`docs/images/${name}`).size, name).toBeLessThanOrEqual(120_000);
    for (const page of pages) expect(page).toContain(`images/${name}`);
  }
  expect([...paths].filter((path) => path.startsWith('docs/images'))).toEqual([]);
});

test('every relative link of the README, of llms.txt, of the list of examples and of the guides leads to a file in the package', () => {
  const pages = [
    'README.md',
    'llms.txt',
    ...[...paths].filter((path) => /^(?:examples|docs\/guide)\/.*\.md$/.test(path)),
  ];
  const links = pages.flatMap((page) =>
    [...readFileSync(page, 'utf8').matchAll(/\]\((?!https?:|#)([^)#]+)(?:#[^)]*)?\)/g)].map(([, to = '']) => ({
      page,
      to: join(dirname(page), to),
    })),
  );
  expect(links.length).toBeGreaterThan(100);
  // Images are loaded from the repository.
  const isThere = (to: string): boolean =>
    to.startsWith('docs/images/') || paths.has(to) || [...paths].some((path) => path.startsWith(`${to}/`));
  expect(links.filter(({ to }) => !isThere(to.replace(/\/$/, '')))).toEqual([]);
});
