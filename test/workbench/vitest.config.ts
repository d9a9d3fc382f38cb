import { fileURLToPath } from 'node:url';
import { defineConfig, type ViteUserConfig } from 'vitest/config';
import { CitationReport } from '../support/citation-report.ts';

const config: ViteUserConfig = defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  test: {
    pool: 'forks',
    // Each file starts its own Chromium and workbench.
    maxWorkers: 1,
    include: ['*.test.ts'],
    reporters: ['default', new CitationReport('workbench')],
    expect: { poll: { timeout: 30_000 } },
    // Only for tests that hang, because waiting for the page has its own timeout of half a minute. A test can press hundreds of keys.
    testTimeout: 400_000,
    hookTimeout: 400_000,
  },
});

export default config;
