import { expect, test } from 'vitest';
import { pageUser } from './acts.ts';
import { useWorkbench } from './fixture.ts';
import { goTo } from './workbench.ts';

const fixture = useWorkbench({ servers: ['sales'] });
const { answerUntil } = pageUser(fixture);

test('an empty chat offers a script that runs with the tools that are connected', async () => {
  const { page } = fixture;
  await goTo(page, 'chat');
  await page.getByRole('button', { name: 'Use an example script' }).click();
  await expect.poll(() => page.getByLabel(/^Script/).inputValue()).toMatch(/^- call: sales\.\w+\n- /);
  await page.getByLabel('Message to the model').fill('Go');
  await page.getByRole('button', { name: 'Send' }).click();
  await answerUntil('.talk .model');
  expect(await page.locator('.turn [data-type="tool-result"]').count()).toBe(1);
});
