/** Recording from the page, as a user finds it: the button under every screen, and the file that it leaves. */
import { expect, test } from 'vitest';
import { useWorkbench } from './fixture.ts';
import { goTo } from './workbench.ts';

const fixture = useWorkbench({ servers: ['forms', 'sales'] });

// acceptance 27
test('Record takes the server of the screen, Stop ends it, and the file is ready to be opened', async () => {
  const { page } = fixture;
  const isRecording = page.locator('.topbar').getByRole('link', { name: 'Recording' });
  await goTo(page, 'tools', 'sales', 'sales');
  await page.locator('.dock').getByRole('button', { name: 'Record' }).click();
  await isRecording.waitFor();
  await page.getByRole('button', { name: /^Call/ }).first().click();
  await page.locator('.card.result').waitFor();
  await page.locator('.dock').getByRole('button', { name: 'Stop' }).click();
  await isRecording.waitFor({ state: 'detached' });
  await goTo(page, 'travel');
  expect(await page.getByLabel('Path of a recording').inputValue()).toMatch(/sales-\d{14}\.ndjson$/);
  await page.getByRole('button', { name: 'Open', exact: true }).click();
  await page.getByText('Nothing is sent').waitFor();
  await expect.poll(() => page.locator('[data-line]', { hasText: 'tools/call' }).count()).toBe(2);
});
