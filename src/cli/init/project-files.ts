/** All files of a new server project: package.json, tsconfig.json, README, instructions for coding agents, and sources. */
import { VERSION } from '../../model/names.ts';
import type { InitPlan } from './decide.ts';
import { dialects } from './dialects.ts';
import { serverFile, testFile } from './server-files.ts';

/** Development dependencies. */
export const developmentTools: Readonly<Record<string, string>> = {
  '@types/node': '^20.19.43',
  tsx: '^4.23.15',
  typescript: '^7.0.2',
};

export function filesOf(plan: InitPlan): ReadonlyMap<string, string> {
  return new Map([
    ['package.json', packageFile(plan)],
    ['tsconfig.json', tsconfigFile()],
    ['README.md', readmeFile(plan)],
    ['AGENTS.md', agentsFile],
    ['.gitignore', 'node_modules\ndist\n'],
    ['src/server.ts', serverFile(plan)],
    ['src/server.test.ts', testFile()],
  ]);
}

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

function packageFile({ name, transport, schema }: InitPlan): string {
  const where = transport === 'http' ? ' --http 3000' : '';
  return json({
    name,
    version: '0.1.0',
    private: true,
    type: 'module',
    engines: { node: '>=20.19' },
    scripts: {
      dev: `mooring dev src/server.ts${where}`,
      test: 'node --import tsx --test src/server.test.ts',
      types: 'tsc --noEmit',
      build: 'tsc',
      start: `mooring run dist/server.js${where}`,
    },
    dependencies: { mooring: `^${VERSION}`, ...dialects[schema].dependencies },
    devDependencies: developmentTools,
  });
}

function tsconfigFile(): string {
  return json({
    compilerOptions: {
      target: 'es2023',
      lib: ['es2023', 'esnext.disposable'],
      module: 'nodenext',
      types: ['node'],
      strict: true,
      noUncheckedIndexedAccess: true,
      verbatimModuleSyntax: true,
      erasableSyntaxOnly: true,
      rewriteRelativeImportExtensions: true,
      skipLibCheck: true,
      rootDir: 'src',
      outDir: 'dist',
    },
    include: ['src'],
  });
}

function readmeFile({ name, transport }: InitPlan): string {
  const entry =
    transport === 'http'
      ? { url: 'http://127.0.0.1:3000/mcp' }
      : { command: 'npm', args: ['--prefix', `/path/to/${name}`, '--silent', 'start'] };
  const dev = transport === 'http' ? 'serves http://127.0.0.1:3000/mcp' : 'serves over stdio';
  return `# ${name}

A server for the [Model Context Protocol](https://modelcontextprotocol.io): a tool, a resource and a prompt, in \`src/server.ts\`.

| | |
|---|---|
| \`npm test\` | runs the tests |
| \`npm run dev\` | ${dev}, and reloads when a file changes |
| \`npx mooring list ./src/server.ts\` | lists its tools, resources and prompts |
| \`npx mooring doctor ./src/server.ts\` | checks the server, and suggests fixes |
| \`npm run types\` | checks the types |
| \`npm run build && npm start\` | compiles the server to \`dist/\`, and serves it |

To use the server in an application, ${transport === 'http' ? 'keep it running' : 'run `npm run build`'} and add this to the configuration of the application:

\`\`\`json
${JSON.stringify({ mcpServers: { [name]: entry } }, null, 2)}
\`\`\`
`;
}

const agentsFile = `# Instructions for coding agents

This is a server for the Model Context Protocol (MCP), written with the package \`mooring\`.

- Documentation: \`node_modules/mooring/llms.txt\` lists every page. Read \`docs/guide/first-server.md\` there before you change the server.
- Tools, resources and prompts are values in \`src/server.ts\`. Each has a description and a schema, which models read.
- After a change, run \`npm run types\`, \`npm test\` and \`npx mooring lint ./src/server.ts\`.
- \`npx mooring call ./src/server.ts <tool> --help\` prints how to call a tool.
`;
