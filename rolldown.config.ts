import { readFileSync } from 'node:fs';
import { defineConfig, type Plugin, type RolldownOptions } from 'rolldown';

/** Each entry point in package.json's `exports` is an entry, and so is the command; shared code becomes chunks. */
const { exports } = JSON.parse(readFileSync('package.json', 'utf8')) as { exports: Record<string, unknown> };
const input = Object.fromEntries(
  Object.values(exports).flatMap((entryPoint) =>
    typeof entryPoint === 'object' && entryPoint !== null && 'default' in entryPoint
      ? [
          [
            String(entryPoint.default).slice(7, -3),
            String(entryPoint.default).replace('./dist', './src').replace(/js$/, 'ts'),
          ],
        ]
      : [],
  ),
);

/** What every server loads. Modules that only clients need are excluded by name; one forgotten name shows in `npm run size`. */
const wire = new RegExp(
  [
    'src/(?:errors\\.ts|jsonrpc/(?!read)',
    '|model/(?!block-fault|canonical|challenge|check-argument|check-options|collected-bytes|completed-uri|growing-text|header-value|line-diff|sampling|printable|redirects|secrets|suggest|task-record|value-kind)',
    '|peer/(?!backoff|wait|check-servable|intrusive-set|deadlines|keep-alive|time-limit|runtime|abort|call-link|id-table|duplex|incoming|pending)',
    '|transport/http/guard)',
  ].join(''),
);

// No source maps: the output is not minified and reads like the source.
// Names without a hash, because package.json's `browser` lists the chunks that need Node.
const library: RolldownOptions = {
  input: { ...input, 'cli/main': './src/cli/main.ts' },
  platform: 'neutral',
  external: [
    /^node:/,
    '@opentelemetry/api',
    'ajv',
    /^ajv\//,
    '@cfworker/json-schema',
    'cross-spawn',
    'jose',
    'smol-toml',
    /^undici\//,
    'yaml',
  ],
  transform: { target: 'node20' },
  output: {
    dir: 'dist',
    cleanDir: true,
    format: 'esm',
    chunkFileNames: 'chunks/[name].js',
    // What every server loads becomes a few files, because opening a file costs more at start than reading it.
    codeSplitting: {
      // The order matters: a group takes along what its files import.
      groups: [
        { name: 'wire', test: wire, minShareCount: 2 },
        {
          name: 'revisions',
          test: /src\/revisions\/(?!asks\/(?:aes-gcm|live|question|replay|seal)|decode|encode-questions|negotiate|opening|tasks\/)/,
          minShareCount: 2,
        },
        // Shared by transports; a server without a transport does not load it.
        {
          name: 'link',
          test: /src\/(?:peer\/(?:abort|call-link|check-servable|runtime|wait)|jsonrpc\/read|model\/(?:check-options|collected-bytes|header-value|suggest|value-kind)|transport\/take-over)/,
          minShareCount: 2,
        },
        {
          name: 'duplex',
          test: /src\/peer\/(?:id-table|duplex|incoming|pending)/,
          minShareCount: 2,
        },
        // Splits bytes into lines and joins them, on Node only.
        { name: 'pipe', test: /src\/transport\/(?:lines|pipe-conversation|write-queue)/, minShareCount: 2 },
        // Shared by servers, clients, and the views of a gateway.
        {
          name: 'schema',
          test: /src\/schema\/(?:check|graph|issues|keywords|read|references|standard)\.ts/,
          minShareCount: 2,
        },
        { name: 'server', test: /src\/server\/(?!tasks)/, minShareCount: 2 },
      ],
    },
  },
};

/** The styles and the document of the workbench, with inlined symbols: the page has three files. */
const pageFiles = (folder: string): Plugin => ({
  name: 'page-files',
  generateBundle() {
    const styles = readFileSync(`${folder}/style.css`, 'utf8')
      .replace(/\/\*[\s\S]*?\*\//g, '')
      .replace(/\s+/g, ' ')
      .replace(/ ?([{};,]) ?/g, '$1')
      .replaceAll(': ', ':')
      .replaceAll(';}', '}');
    const symbols = readFileSync(`${folder}/symbols.svg`, 'utf8')
      .replace(/<!--[\s\S]*?-->\s*|\n\s*/g, '')
      .replace('<svg ', '<svg hidden ');
    const document = readFileSync(`${folder}/index.html`, 'utf8').replace('<!-- symbols -->', symbols);
    this.emitFile({ type: 'asset', fileName: 'page.css', source: styles });
    this.emitFile({ type: 'asset', fileName: 'index.html', source: document });
  },
});

/** The page that `mooring workbench` serves, minified. */
const page: RolldownOptions = {
  input: { page: './src/workbench/page/main.tsx' },
  platform: 'browser',
  transform: { target: 'es2023' },
  plugins: [pageFiles('src/workbench/page')],
  output: { dir: 'dist/workbench', format: 'esm', minify: true },
};

const config: RolldownOptions[] = defineConfig([library, page]);

export default config;
