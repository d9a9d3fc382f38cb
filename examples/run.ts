/** Runs every example in a process of its own; each checks itself. Exit code 1 if one fails. */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('.', import.meta.url));
// shop.ts is what others start; on its own it would wait for a client.
const stories = readdirSync(folder).filter((file) => file.endsWith('.ts') && file !== 'run.ts' && file !== 'shop.ts');
let failed = 0;
for (const story of stories) {
  const began = performance.now();
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', 'tsx', folder + story], {
    encoding: 'utf8',
    timeout: 60_000,
  });
  console.log(`${status === 0 ? 'ok  ' : 'FAIL'} ${story} (${Math.round(performance.now() - began)} ms)`);
  if (status === 0) continue;
  failed++;
  console.log(stdout + stderr);
}
console.log(`${stories.length - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
