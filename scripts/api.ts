/** Writes the public API as text, one file per entry point, so that reviews show changes. `--check` fails if it differs. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { surface } from './surface.ts';

// An entry point without `types` (package.json itself) has no API.
const { name, exports } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  name: string;
  exports: Record<string, { types?: string }>;
};
const check = process.argv.includes('--check');
const texts = new Map<string, string>();
const problems: string[] = [];

for (const [entryPoint, { types }] of Object.entries(exports)) {
  if (types === undefined) continue;
  if (!existsSync(types)) {
    problems.push(`${types} is missing; run \`npm run build\` first`);
    continue;
  }
  const { names, text } = surface(types.slice(2));
  const title = `// The entry point "${entryPoint.replace('.', name)}": ${names.length} names. Written by \`npm run api\`.`;
  texts.set(
    `${entryPoint === '.' ? 'index' : entryPoint.slice(2).replaceAll('/', '-')}.d.ts`,
    `${title}\n// ${names.join(' ')}\n\n${text}\n`,
  );
}

mkdirSync('api', { recursive: true });
for (const file of readdirSync('api')) if (!texts.has(file)) differs(file, () => rmSync(`api/${file}`));
for (const [file, text] of texts) {
  const before = existsSync(`api/${file}`) ? readFileSync(`api/${file}`, 'utf8') : '';
  if (before !== text) differs(file, () => writeFileSync(`api/${file}`, text));
}

function differs(file: string, write: () => void): void {
  if (check)
    problems.push(`api/${file} is not what the build exports; run \`npm run api\`, review the diff, tell CHANGELOG.md`);
  else if (problems.length === 0) write();
}

if (problems.length > 0) {
  console.error(problems.join('\n'));
  process.exitCode = 1;
} else {
  console.log(`The API of ${texts.size} entry points is ${check ? 'as' : 'now as'} written in api/.`);
}
