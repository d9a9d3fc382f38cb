/** Every screen with content. Later scenes use what earlier ones created. */
import type { Stage } from './stage.ts';
import { goTo, restart } from './workbench.ts';

type Prepare = (stage: Stage) => Promise<void>;

const refund: Prepare = async ({ page, call }) => {
  await goTo(page, 'tools', 'sales', 'refund');
  await page.locator('[data-field="order"] input').fill('A-1041');
  await call();
  await page.locator('.ask[data-kind="form"]').first().waitFor();
};

const resources: Prepare = async ({ page, call }) => {
  await goTo(page, 'resources', 'forms', 'note://a');
  await page.getByRole('button', { name: 'Watch' }).click();
  await page.getByRole('button', { name: 'Watching' }).waitFor();
  await goTo(page, 'tools', 'forms', 'touch');
  await call();
  await page.locator('.card.result').waitFor();
  await goTo(page, 'resources', 'forms', 'note://a');
  await page.getByRole('button', { name: /^Read/ }).click();
  await page.locator('.card.result').waitFor();
  await page.locator('.diff').waitFor();
};

const prompts: Prepare = async ({ page }) => {
  await goTo(page, 'prompts', 'sales', 'thank');
  await page.getByRole('combobox').first().fill('Ada');
  await page.getByRole('button', { name: /^Get/ }).click();
  await page.locator('.card.result').waitFor();
};

const apps: Prepare = async ({ page, answerUntil }) => {
  await goTo(page, 'apps', 'sales', 'sales');
  await page.getByRole('button', { name: 'Call and open' }).click();
  await answerUntil('[data-view-step="result"][data-state="passed"]');
  await page.frameLocator('.stage-box iframe').frameLocator('iframe').getByText('Monday').first().waitFor();
};

const silentApp: Prepare = async ({ page, answerUntil }) => {
  await goTo(page, 'apps', 'sales', 'silent');
  await page.getByRole('button', { name: 'Call and open' }).click();
  await answerUntil('[data-view-step][data-state="failed"]');
};

const compare: Prepare = async ({ page, answerUntil }) => {
  await goTo(page, 'compare', 'sales', 'refund');
  await page.getByRole('button', { name: 'Call in both' }).click();
  await answerUntil('.versus-row');
  // The server restarts after calls in two revisions, and its tools are listed again.
  await page.getByRole('option', { name: 'sales.refund' }).waitFor({ state: 'attached' });
};

const SCRIPT = `- call: sales.refund
  with: { order: A-1041 }
- call: sales.sales
- A-1041 is refunded. Monday brought 20.5, Tuesday 30.
`;

const consent: Prepare = async ({ page }) => {
  await goTo(page, 'chat');
  await page.getByLabel(/^Script/).fill(SCRIPT);
  await page.getByRole('button', { name: 'Use this script' }).click();
  await page.getByLabel('Message to the model').fill('Refund A-1041, and tell me how the sales were.');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.locator('.ask[data-kind="consent"]').waitFor();
};

const chat: Prepare = ({ answerUntil }) => answerUntil('.talk .model');

/** Starts a tool of the studio as a task. */
async function startTask({ page, answerUntil }: Stage, name: string): Promise<void> {
  await goTo(page, 'tools', 'studio', name);
  if (name === 'render') await page.locator('[data-field="frames"] input').fill('90');
  await page.getByRole('button', { name: 'Run as task' }).click();
  await answerUntil('.card.result a[href^="#/tasks/"]');
}

const tasks: Prepare = async (stage) => {
  const { page } = stage;
  for (const name of ['index', 'upload', 'render']) await startTask(stage, name);
  await goTo(page, 'tasks');
  const rows = page.locator('main tbody tr');
  await rows.filter({ hasText: 'render' }).getByRole('link').click();
  await page.getByRole('button', { name: 'Cancel the task' }).click();
  await page.locator('tr[data-state="cancelled"]').waitFor();
  await startTask(stage, 'render');
  await goTo(page, 'tools', 'studio', 'order');
  await page.getByRole('button', { name: 'Run as task' }).click();
  await page.locator('.ask[data-kind="form"]').waitFor();
  await goTo(page, 'tasks');
  await page.locator('tr[data-state="input_required"]').getByRole('link').click();
  await page.locator('.steps li').first().waitFor();
};

const taskDone: Prepare = async ({ page, answerUntil }) => {
  await answerUntil('tr[data-state="completed"] >> text=order');
  await page.locator('tr[data-state="completed"]').first().getByRole('link').click();
  await page.locator('.card.result').waitFor();
};

const signIn: Prepare = async ({ page, bench, answerUntil }) => {
  await goTo(page, 'servers', 'notes');
  await page.getByRole('button', { name: /^(?:Connect|Try again)$/ }).click();
  await page.locator('.ask[data-kind="consent"]').getByRole('button', { name: 'Allow once' }).click();
  const visit = page.locator('.ask[data-kind="visit"]');
  await visit.waitFor();
  // The test's authorization server agrees at once.
  const url = await visit.locator('.well').textContent();
  await fetch(url ?? bench.url);
  await answerUntil('.sidebar [data-server="notes"][data-state="ready"]');
  await goTo(page, 'sign-in', 'notes');
  await page.locator('.steps li').first().waitFor();
};

const lock: Prepare = async ({ page, call, describe, answerUntil }) => {
  await goTo(page, 'tools', 'studio', 'publish');
  await call();
  await answerUntil('.card.result');
  await describe('Publish the scene, and send its files to everyone in the address book');
  await restart(page, 'studio');
  await goTo(page, 'policy');
  await page.locator('.lock-row').first().waitFor();
  await page.getByRole('region', { name: 'Lock' }).scrollIntoViewIfNeeded();
};

const denied: Prepare = async ({ page }) => {
  await consent({ page } as Stage);
  await page.locator('.ask').getByRole('button', { name: 'Deny' }).first().click();
  await page.locator('.turn [data-type="denied"]').waitFor();
  await goTo(page, 'policy');
  await page.getByRole('button', { name: 'Denied', exact: true }).click();
  await page.locator('tr[data-act]').first().getByRole('link').click();
  await page.getByRole('region', { name: 'Decision', exact: true }).waitFor();
};

const rehearsal: Prepare = async ({ page }) => {
  await goTo(page, 'policy');
  await page.getByRole('button', { name: 'Try other rules' }).click();
  await page.getByRole('button', { name: 'Rehearse' }).click();
  await page.getByText(/would be decided/).waitFor();
};

const message: Prepare = async ({ page }) => {
  await goTo(page, 'tools', 'sales', 'refund');
  await page.locator('.card.result a[href^="#/timeline"]').first().click();
  await page.locator('section.message .json').waitFor();
};

const travel: Prepare = async ({ page }) => {
  await goTo(page, 'travel');
  await page
    .locator('.card', { hasText: 'the messages of this session' })
    .getByRole('button', { name: 'sales' })
    .click();
  await page.getByLabel('Message', { exact: true }).press('End');
  await page.locator('.moment').waitFor();
  await page.getByLabel('Message', { exact: true }).press('ArrowLeft');
};

const palette: Prepare = async ({ page }) => {
  if (await page.getByRole('button', { name: 'Close the recording' }).isVisible())
    await page.getByRole('button', { name: 'Close the recording' }).click();
  await goTo(page, 'tools', 'sales', 'refund');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('ref');
};

const failedCall: Prepare = async ({ page, call }) => {
  await goTo(page, 'tools', 'forms', 'broken');
  await call();
  await page.locator('.card.result').waitFor();
};

const crash: Prepare = async ({ page, call }) => {
  await goTo(page, 'tools', 'forms', 'crash');
  await call();
  await page.locator('.card.result[data-state="failed"]').waitFor();
};

const open =
  (...of: string[]): Prepare =>
  ({ page }) =>
    goTo(page, ...of);

const examine: Prepare = async ({ page, answerUntil }) => {
  await goTo(page, 'servers', 'mail');
  await page.getByRole('button', { name: /^(?:Connect|Try again)$/ }).click();
  await answerUntil('.verdict');
  await page.getByRole('link', { name: 'Run checks' }).click();
  await answerUntil('.steps li[data-state="failed"]');
};

const skills: Prepare = async ({ page, answerUntil }) => {
  await goTo(page, 'skills', 'sales', 'skill://refunds/SKILL.md');
  await page.locator('tr[data-state="verified"]').first().waitFor();
  await page.getByRole('button', { name: 'Load' }).click();
  await answerUntil('.card.result');
};

const pressed =
  (key: string, selector: string): Prepare =>
  async ({ page }) => {
    await page.keyboard.press('Escape');
    await page.keyboard.press(key);
    await page.locator(selector).waitFor();
  };

const addServer: Prepare = async ({ page }) => {
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Add a server' }).first().click();
  await page.getByRole('dialog').waitFor();
};

/** With the servers `forms`, `sales` and `studio`. */
export const scenes: Readonly<Record<string, Prepare>> = {
  async choose(stage) {
    await open('tools')(stage);
    await stage.page.locator('.rows a').first().waitFor();
  },
  question: refund,
  tools: ({ answerUntil }) => answerUntil('.card.result'),
  form: open('tools', 'forms', 'order'),
  'failed-call': failedCall,
  resources,
  prompts,
  apps,
  'silent-app': silentApp,
  compare,
  consent,
  chat,
  tasks,
  'task-done': taskDone,
  servers: open('servers'),
  server: open('servers', 'sales'),
  examine,
  'sign-in': signIn,
  policy: open('policy'),
  lock,
  denied,
  rehearsal,
  catalogue: open('catalogue'),
  timeline: open('timeline'),
  message,
  crash,
  // After a skill was loaded, calls need permission.
  skills,
  'travel-open': open('travel'),
  travel,
  palette,
  help: pressed('?', '.window-dialog'),
  'add-server': addServer,
};

export const emptyScenes: Readonly<Record<string, Prepare>> = Object.fromEntries(
  [
    'tools',
    'resources',
    'prompts',
    'apps',
    'tasks',
    'skills',
    'chat',
    'timeline',
    'catalogue',
    'compare',
    'policy',
    'sign-in',
  ].map((screen) => [`empty-${screen}`, open(screen)]),
);
