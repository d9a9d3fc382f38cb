/** Compiler errors for common mistakes. Editors show only the first line, so it must name the mistake. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const folder = '.cache/type-errors';

const server = "import { createServer, prompt, resource, tool, withEnv } from 'mooring';\nimport * as z from 'zod';\n";
const shop = `${server}
export const hours = tool({ name: 'hours', run: () => '9 to 5' });
const refund = tool({
  name: 'refund',
  input: z.object({ order: z.string() }),
  output: z.object({ order: z.string(), amount: z.number() }),
  run: ({ order }) => ({ order, amount: 12.5 }),
});
const order = resource({ uri: 'orders://{id}', read: ({ id }) => id });
export const shop = createServer({ name: 'shop', version: '1.0.0', parts: [refund, hours, order] });
`;
const fromShop = "import { hours, shop } from './shop.ts';\n";
/** The imports of the examples under a heading. */
const imports: ReadonlyMap<string, string> = new Map([
  ['mooring', server],
  ['mooring/client', `import { connect } from 'mooring/client';\n${fromShop}const client = await connect(shop);\n`],
  ['mooring/host', `import { createHost, fromConfig, rules } from 'mooring/host';\n${fromShop}`],
  ['mooring/auth', `import { oauth } from 'mooring/auth';\nimport { serveHttp } from 'mooring/node';\n${fromShop}`],
]);

interface Mistake {
  readonly title: string;
  readonly code: string;
  readonly says: readonly string[];
}

function readMistakes(text: string): readonly Mistake[] {
  return text
    .split(/^## /m)
    .slice(1)
    .flatMap((section) => {
      const [heading = '', ...mistakes] = section.split(/^# /m);
      return mistakes.map((mistake) => {
        const [title = '', ...lines] = mistake.trim().split('\n');
        const code = lines.filter((line) => !line.startsWith('> '));
        const says = lines.filter((line) => line.startsWith('> ')).map((line) => line.slice(2));
        return { title, code: `${imports.get(heading.trim())}${code.join('\n')}\nexport {};\n`, says };
      });
    });
}

/** The settings of a new project. */
const newProject = { strict: true, noEmit: true, target: 'es2023', module: 'nodenext', types: ['node'], skipLibCheck: true, allowImportingTsExtensions: true }; // biome-ignore format: one configuration

/** First lines of the compiler's errors, by file. One run for all of them. */
function compile(
  files: ReadonlyMap<string, string>,
  compilerOptions: object = newProject,
): ReadonlyMap<string, readonly string[]> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [name, code] of files) writeFileSync(`${folder}/${name}`, code);
  // The package resolves itself by name, so these are the published declarations.
  writeFileSync(`${folder}/tsconfig.json`, JSON.stringify({ compilerOptions, include: ['*.ts'] }));
  const tsc = ['node_modules/typescript/bin/tsc', '-p', folder, '--pretty', 'false'];
  const { stdout } = spawnSync(process.execPath, tsc, { encoding: 'utf8' });
  const found = new Map<string, string[]>();
  for (const [, name = '', said = ''] of stdout.matchAll(/^.*?([\w-]+\.ts)\(\d+,\d+\): error TS\d+: (.*)$/gm))
    found.set(name, [...(found.get(name) ?? []), said]);
  return found;
}

const { exports } = JSON.parse(readFileSync('package.json', 'utf8')) as { exports: Record<string, { types?: string }> };
const entryPoints = Object.entries(exports).flatMap(([name, { types }]) =>
  types === undefined ? [] : [name.slice(1)],
);

test.each([
  ['Node', { lib: ['es2022'], types: ['node'] }, entryPoints.filter((name) => name !== '/frame')],
  ['a browser', { lib: ['es2022', 'dom'], types: [] }, ['', '/client', '/auth', '/view', '/frame', '/transport']],
])('the declarations compile for %s with the libraries of ES2022', { timeout: 120_000 }, (_where, libraries, names) => {
  const code = names.map((name, at) => `import * as m${at} from 'mooring${name}';\nvoid m${at};\n`).join('');
  const found = compile(new Map([['all.ts', code]]), {
    ...newProject,
    target: 'es2022',
    skipLibCheck: false,
    ...libraries,
  });
  expect([...found]).toEqual([]);
});

test('the first line of what the compiler says names the mistake', { timeout: 120_000 }, () => {
  const mistakes = readMistakes(readFileSync('test/fixtures/type-errors.txt', 'utf8'));
  expect(mistakes.length).toBeGreaterThanOrEqual(30);
  expect(mistakes.filter(({ says }) => says.length !== 1)).toEqual([]);
  const files = mistakes.map(({ code }, at): [string, string] => [`mistake-${at}.ts`, code]);
  const found = compile(new Map([['shop.ts', shop], ...files]));
  const said = mistakes.map(({ title }, at) => ({ title, says: found.get(`mistake-${at}.ts`) ?? [] }));
  expect(said).toEqual(mistakes.map(({ title, says }) => ({ title, says })));
  // No error is reported in the server that all examples use.
  expect([...found.keys()].filter((name) => !name.startsWith('mistake-'))).toEqual([]);
});
