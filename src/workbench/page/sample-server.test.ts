import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { SAMPLE_SERVER } from './sample-server.ts';

test('the first page of the workbench shows the server of the README, which is run as printed', () => {
  expect(readFileSync('README.md', 'utf8')).toContain(`<!-- file: shop.ts -->\n\`\`\`ts\n${SAMPLE_SERVER}\`\`\``);
});
