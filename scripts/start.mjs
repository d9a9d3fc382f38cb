// `npm start`. Says what is missing before anything needs it; written so that old Nodes can read it.
import fs from 'node:fs';
import process from 'node:process';
import url from 'node:url';

const root = new url.URL('../', import.meta.url);
const wanted = JSON.parse(fs.readFileSync(new url.URL('package.json', root), 'utf8')).engines.node.replace('>=', '');
const [major, minor] = process.versions.node.split('.').map(Number);
const [leastMajor, leastMinor] = wanted.split('.').map(Number);

if (major < leastMajor || (major === leastMajor && minor < leastMinor)) {
  fail(`This is Node ${process.versions.node}, and Mooring needs ${wanted} or later: https://nodejs.org`);
} else if (!fs.existsSync(new url.URL('node_modules/tsx', root))) {
  fail('The packages that this needs are not installed. Run this first:\n\n  npm ci\n');
} else {
  process.chdir(url.fileURLToPath(root));
  import('tsx/esm/api')
    .then(({ register }) => {
      register();
      return import('../examples/start/start.ts');
    })
    .catch((error) => fail(error.stack));
}

function fail(why) {
  process.stderr.write(`${why}\n`);
  process.exitCode = 1;
}
