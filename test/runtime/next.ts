/**
 * Runs the page about Next.js: its files in an empty folder with the packed package, built, started, and called in every revision.
 *
 *   npm run build && npm run runtime:next
 *
 * Not part of `npm test`, because it installs 340 MB and builds for a minute.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { Checks } from './checks.ts';
import { PageProject } from './page-project.ts';
import { serves } from './pages.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const list = fileURLToPath(new URL('next/package.json', import.meta.url));
const quiet = ['--no-audit', '--no-fund', '--loglevel=error', '--ignore-scripts'];
const env = { NEXT_TELEMETRY_DISABLED: '1' };

await using project = await PageProject.open('docs/guide/nextjs.md');
const npm = (cwd: string, ...args: string[]): unknown => execFileSync('npm', args, { cwd, stdio: 'inherit' });
copyFileSync(list, join(project.folder, 'package.json'));
npm(project.folder, 'install', '--no-package-lock', ...quiet);
npm(root, 'pack', '--ignore-scripts', '--silent', '--pack-destination', project.folder);
const tarball = readdirSync(project.folder).find((file) => file.endsWith('.tgz')) ?? '';
npm(project.folder, 'install', '--no-save', '--no-package-lock', ...quiet, `./${tarball}`);

const checks = new Checks();
await checks.check('npx next build', async () => void (await project.run('npx next build', env)));
await serves(checks, project, 'npx next start', env);
console.log(`${checks.passed} passed, ${checks.failed} failed`);
process.exitCode = checks.failed === 0 ? 0 : 1;
