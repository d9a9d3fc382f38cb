/**
 * What `npm install` does on a page: the packages come from the prepared folder `$PAGES_PACKAGES`, and no other than
 * test/pages/package.json names. Mooring is linked file by file, so that it lies in the project as it would; others by a link.
 */
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';

const packages = process.env.PAGES_PACKAGES ?? '';
const known = (process.env.PAGES_KNOWN ?? '').split(' ');
const words = process.argv.slice(3);
const isDevelopment = words.some((word) => word === '-D' || word === '--save-dev');
const named = words.filter((word) => !word.startsWith('-')).map((word) => word.replace(/(?<=.)@[^/]*$/, ''));

const read = (file) => JSON.parse(readFileSync(file, 'utf8'));
const project = existsSync('package.json') ? read('package.json') : {};
const wanted = [...new Set([...named, ...Object.keys({ ...project.dependencies, ...project.devDependencies })])];
const unknown = wanted.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  console.error(
    `npm install: pages do not have ${unknown.join(', ')}; add what a page names to test/pages/package.json`,
  );
  process.exit(1);
}

mkdirSync('node_modules/.bin', { recursive: true });
for (const name of wanted) {
  put(name);
  const { version, dependencies = {} } = read(join(packages, name, 'package.json'));
  if (name === 'mooring') for (const dependency of Object.keys(dependencies)) put(dependency);
  const section = isDevelopment ? 'devDependencies' : 'dependencies';
  if (named.includes(name)) project[section] = { ...project[section], [name]: `^${version}` };
}
if (named.length > 0) writeFileSync('package.json', `${JSON.stringify(project, undefined, 2)}\n`);
console.log(`added ${wanted.length} packages`);

function put(name) {
  const [from, to] = [join(packages, name), join('node_modules', name)];
  if (existsSync(to)) return;
  mkdirSync(dirname(to), { recursive: true });
  if (name === 'mooring') linkFiles(from, to);
  else symlinkSync(from, to);
  const { bin = {} } = read(join(from, 'package.json'));
  const programs = typeof bin === 'string' ? { [name.split('/').at(-1)]: bin } : bin;
  for (const [program, file] of Object.entries(programs)) {
    rmSync(`node_modules/.bin/${program}`, { force: true });
    symlinkSync(join('..', name, file), `node_modules/.bin/${program}`);
  }
}

function linkFiles(from, to) {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) linkFiles(source, target);
    else linkSync(source, target);
  }
}
