import { fileURLToPath } from 'node:url';
import { defineConfig, type ViteUserConfig } from 'vitest/config';
import { CitationReport } from '../support/citation-report.ts';

const config: ViteUserConfig = defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  test: {
    pool: 'forks',
    maxWorkers: 2,
    include: ['*.test.ts'],
    reporters: ['default', new CitationReport('stores')],
    // Only for tests that hang.
    expect: { poll: { timeout: 30_000 } },
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});

export default config;
