/** What is published: it is built first, and its README leads nowhere that is not in the package. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> }; // our own file

test('packing builds first, so that no package is published without its code', () => {
  expect(scripts['prepack']).toBe('npm run build');
});

test('every relative link of the README leads to a file in the package', () => {
  const packed = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts', '--loglevel=error'], {
    encoding: 'utf8',
  });
  const [{ files }] = JSON.parse(packed) as [{ files: { path: string }[] }]; // npm's own format, and we are one package
  const paths = new Set(files.map(({ path }) => path));
  const links = [...readFileSync('README.md', 'utf8').matchAll(/\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)/g)].map(
    ([, to]) => to ?? '',
  );
  expect(links.length).toBeGreaterThan(10);
  expect(links.filter((to) => !paths.has(to))).toEqual([]);
});
