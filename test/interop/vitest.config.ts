import { fileURLToPath } from 'node:url';
import { defineConfig, type ViteUserConfig } from 'vitest/config';
import { CitationReport } from '../support/citation-report.ts';
import { InteropTable } from './interop-table.ts';

const config: ViteUserConfig = defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  test: {
    pool: 'forks',
    maxWorkers: 2,
    include: ['*.test.ts'],
    globalSetup: ['bundle-servers.ts'],
    reporters: ['default', new InteropTable(), new CitationReport('interop')],
    // Only for tests that hang.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});

export default config;
