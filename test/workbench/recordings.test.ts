/** Recording from the page: the button on every screen, and the resulting file. */
import { expect, test } from 'vitest';
import { useWorkbench } from './fixture.ts';
import { goTo } from './workbench.ts';

const fixture = useWorkbench({ servers: ['forms', 'sales'] });

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
  await expect.poll(() => page.getByLabel('Path of a recording').inputValue()).toMatch(/sales-\d{14}\.ndjson$/);
  expect(await page.getByLabel('or choose a file').getAttribute('accept')).toContain('.ndjson');
  await page.getByRole('button', { name: 'Open', exact: true }).click();
  await page.getByText('Nothing is sent').waitFor();
  await expect.poll(() => page.locator('[data-line]', { hasText: 'tools/call' }).count()).toBe(2);
  await page.getByRole('button', { name: 'Close the recording' }).click();
});

test('a slider that is moved before the recording has been shown stays where it was put', async () => {
  const { page } = fixture;
  const slider = page.getByLabel('Message', { exact: true });
  await page.getByRole('button', { name: 'Open this session with sales' }).waitFor();
  // A click before the first frame.
  await page.evaluate(() => {
    const watcher = new MutationObserver(() => {
      const input = document.querySelector<HTMLInputElement>('input[aria-label="Message"]');
      if (input === null) return;
      watcher.disconnect();
      input.value = input.max;
      input.dispatchEvent(new Event('input', { bubbles: true }));
    });
    watcher.observe(document.body, { childList: true, subtree: true });
  });
  await page.getByRole('button', { name: 'Open this session with sales' }).click();
  const last = await slider.getAttribute('max');
  await expect.poll(() => slider.getAttribute('aria-valuetext')).toContain(`message ${last} of ${last},`);
  await page.getByRole('button', { name: 'Close the recording' }).click();
});

test('each press of Next is one message, however long the answer to the one before takes', async () => {
  const { page } = fixture;
  await goTo(page, 'travel');
  await page.getByRole('button', { name: 'Open this session with sales' }).click();
  const slider = page.getByLabel('Message', { exact: true });
  await page.getByRole('heading', { name: 'Before the first message' }).waitFor();
  let answer: () => void = () => undefined;
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route('**/rpc', (route) => answered.then(() => route.continue()));
  for (const _ of [1, 2, 3]) await page.getByRole('button', { name: 'Next message' }).click();
  answer();
  await expect.poll(() => slider.getAttribute('aria-valuetext')).toContain('message 3 of');
  await page.getByRole('heading', { name: 'Message 3' }).waitFor();
  await page.unroute('**/rpc');
  await page.getByRole('button', { name: 'Close the recording' }).click();
});
