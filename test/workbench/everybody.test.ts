import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { useWorkbench } from './fixture.ts';
import { copyUrl, goTo, openBrowser, openPage, root, settled } from './workbench.ts';

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const fixture = useWorkbench({ servers: ['forms', 'hostile'] });

const screens: readonly (readonly [name: string, ...of: string[]])[] = [
  ['servers'],
  ['servers', 'forms'],
  ['tools'],
  ['tools', 'forms', 'order'],
  ['resources', 'forms', 'note://a'],
  ['prompts'],
  ['tasks'],
  ['apps'],
  ['skills'],
  ['sign-in'],
  ['policy'],
  ['catalogue'],
  ['chat'],
  ['compare', 'forms', 'echo'],
  ['travel'],
  ['timeline'],
  ['timeline', '1'],
];

/** Violated rules of WCAG 2 A and AA. */
async function violations(page: Page): Promise<string[]> {
  // The page's policy forbids inline scripts, but not evaluation by devtools.
  await page.evaluate(readFileSync(axe, 'utf8'));
  return await page.evaluate(async () => {
    const run = (
      globalThis as unknown as {
        axe: {
          run(
            options: object,
          ): Promise<{ violations: { id: string; nodes: { target: string[]; failureSummary: string }[] }[] }>;
        };
      }
    ).axe;
    const found = await run.run({
      runOnly: { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] },
    });
    return found.violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')} ${failureSummary}`),
    );
  });
}

test('a cell that is cut shows its beginning, also after a link in it was scrolled to', async () => {
  const { page } = fixture;
  await goTo(page, 'policy');
  const link = page.locator('td.wide a').first();
  await link.waitFor();
  const scrolled = await link.evaluate((one) => {
    const cell = one.closest('td') as HTMLElement; // by the locator
    cell.style.maxInlineSize = cell.style.minInlineSize = cell.style.inlineSize = '40px';
    one.scrollIntoView({ inline: 'center' });
    return [cell.scrollWidth > cell.clientWidth, cell.scrollLeft];
  });
  expect(scrolled).toEqual([true, 0]);
});

// Headless browsers draw no scroll bars, so they are measured.
test('no screen has a scroll bar that scrolls by a few pixels', async () => {
  const { page } = fixture;
  for (const of of screens) {
    await goTo(page, ...of);
    await settled(page);
    const needless = await page.evaluate(() =>
      [...document.querySelectorAll('*')].flatMap((one) => {
        const { overflowX, overflowY } = getComputedStyle(one);
        const scrolls = (overflow: string): boolean =>
          one === document.documentElement || overflow === 'auto' || overflow === 'scroll';
        const [down, sideways] = [one.scrollHeight - one.clientHeight, one.scrollWidth - one.clientWidth];
        const isNeedless = (by: number): boolean => by > 0 && by < 6;
        return (scrolls(overflowY) && isNeedless(down)) || (scrolls(overflowX) && isNeedless(sideways))
          ? [`${one.tagName} ${one.className} ${down} ${sideways}`]
          : [];
      }),
    );
    expect([of.join('/'), ...needless]).toEqual([of.join('/')]);
  }
});

describe.each(['light', 'dark'] as const)('accessibility in the %s theme', (theme) => {
  test.each(screens)(`axe finds nothing at A and AA on the screen %s %s %s (${theme})`, async (...of) => {
    const { page } = fixture;
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
    await goTo(page, ...of.filter((part) => part !== undefined));
    await settled(page);
    expect(await page.locator('h1').count()).toBe(1);
    expect(await violations(page)).toEqual([]);
  });
});

test('axe finds nothing in the palette, the help and the window for a new server', async () => {
  const { page } = fixture;
  for (const open of ['Control+k', '?']) {
    await goTo(page, 'tools');
    await page.keyboard.press(open);
    await page.getByRole('dialog').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  }
  await page.getByRole('button', { name: 'Add a server' }).click();
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press('Escape');
});

test('where no server can ask for a sign-in one can be added, and Cancel closes the window and gives the focus back', async () => {
  const { page } = fixture;
  await goTo(page, 'sign-in');
  const add = page.locator('main').getByRole('button', { name: 'Add a server' });
  await add.click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await add.evaluate((button) => button === document.activeElement)).toBe(true);
});

test('a link to a message that is not there says so, and leads to the others', async () => {
  const { page } = fixture;
  await goTo(page, 'timeline', '999999');
  await page.getByRole('heading', { name: 'Unknown message #999999' }).waitFor();
  await page.getByRole('link', { name: 'See all messages' }).click();
  await page.getByRole('heading', { name: 'Unknown message #999999' }).waitFor({ state: 'detached' });
});

test('reduced motion is honored', async () => {
  const { page } = fixture;
  await page.emulateMedia({ reducedMotion: 'reduce' });
  const moving = await page.evaluate(
    () => document.getAnimations().filter((one) => one.playState === 'running').length,
  );
  expect(moving).toBe(0);
});

// 640 px is 200 % zoom of 1280 px.
test.each([
  [800, 700],
  [640, 400],
])('at %i by %i pixels nothing is wider than the window, and every control can be reached', async (width, height) => {
  const { page } = fixture;
  await page.setViewportSize({ width, height });
  for (const of of screens) {
    await goTo(page, ...of);
    await settled(page);
    const sideways = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(`${of.join('/')} ${sideways}`).toBe(`${of.join('/')} ${Math.min(0, sideways)}`);
    const lost = await page.evaluate(() =>
      [...document.querySelectorAll<HTMLElement>('main :is(button, input, select, textarea, a)')]
        .filter(
          (element) =>
            element.checkVisibility({ visibilityProperty: true, opacityProperty: false }) &&
            !element.closest('[popover]'),
        )
        .filter((element) => {
          element.scrollIntoView({ block: 'center', inline: 'center' });
          const box = element.getBoundingClientRect();
          return box.width > 0 && (box.right < 1 || box.left > innerWidth - 1);
        })
        .map((element) => element.outerHTML.slice(0, 120)),
    );
    expect(lost).toEqual([]);
  }
  await goTo(page, 'timeline');
  await page.locator('[data-message]').first().waitFor();
  const rows = await page.locator('.messages').boundingBox();
  expect(rows?.height).toBeGreaterThan(150);
  await page.setViewportSize({ width: 1280, height: 800 });
});

describe('the keyboard', () => {
  test('letters after g open screens, j and k move, Enter opens, / filters, c calls, y copies', async () => {
    const { page } = fixture;
    await goTo(page, 'timeline');
    await page.locator('h1').waitFor();
    await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    await page.keyboard.press('g');
    await page.keyboard.press('t');
    await page.locator('[data-screen="tools"]').waitFor();
    await page.locator('.rows a[data-item="echo"]').first().waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('echo');
    await page.keyboard.press('Escape');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'forms.echo' }).waitFor();
    await page.keyboard.press('c');
    await page.locator('.card.result').waitFor();
    await page.keyboard.press('y');
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain('mooring call');
    await page.keyboard.press('.');
    await page.getByText('Paused', { exact: true }).waitFor();
    await page.keyboard.press('.');
    await page.keyboard.press('g');
    await page.keyboard.press('l');
    await page.locator('[data-screen="timeline"]').waitFor();
  });

  test('a letter that was pressed soon after g opens its screen, however late a busy page hears of it', async () => {
    const { page } = fixture;
    await goTo(page, 'timeline');
    await page.evaluate(() => {
      (document.activeElement as HTMLElement | null)?.blur();
      const [g, t] = ['g', 't'].map((key) => new KeyboardEvent('keydown', { key, bubbles: true }));
      document.body.dispatchEvent(g as KeyboardEvent);
      for (const until = performance.now() + 2_000; performance.now() < until; );
      document.body.dispatchEvent(t as KeyboardEvent);
    });
    await page.locator('[data-screen="tools"]').waitFor();
  });

  test('the palette finds a tool, a screen, a server and a command by name, and runs it', async () => {
    const { page } = fixture;
    for (const [words, screen] of [
      ['forms.pay', 'tools'],
      ['catalogue', 'catalogue'],
      ['@hostile', 'servers'],
    ] as const) {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Search or run a command' }).fill(words);
      await page.keyboard.press('Enter');
      await page.locator(`[data-screen="${screen}"]`).waitFor();
    }
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search or run a command' }).fill('>keyboard');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  test('every control that can be focused shows that it is', async () => {
    const { page } = fixture;
    await goTo(page, 'tools', 'forms', 'pay');
    await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    const unseen: string[] = [];
    for (let step = 0; step < 60; step++) {
      await page.keyboard.press('Tab');
      const missing = await page.evaluate(() => {
        const element = document.activeElement;
        if (element === null || element === document.body) return undefined;
        const { outlineStyle, outlineWidth } = getComputedStyle(element);
        return outlineStyle === 'none' || outlineWidth === '0px' ? element.outerHTML.slice(0, 100) : undefined;
      });
      if (missing !== undefined) unseen.push(missing);
    }
    expect(unseen).toEqual([]);
  });
});

test('names, descriptions, results, resources, log lines and errors of a hostile server are text on every screen', async () => {
  const { page } = fixture;
  const attack = '<img src=x onerror="document.title=1;fetch(\'https://evil.example/\')">';
  await goTo(page, 'tools', 'hostile', attack);
  await page.locator('.head .lead', { hasText: '<script>alert(1)</script>' }).waitFor();
  await page.getByRole('button', { name: /^Call/ }).first().click();
  await page.locator('.card.result').waitFor();
  expect(await page.locator('.card.result').textContent()).toContain('<script>alert(1)</script>');
  // Links of the server are shown as text.
  expect(await page.locator('.card.result').textContent()).toContain('javascript:alert(1)');
  const links = page.locator('#page a[href]:not([href^="#"])');
  expect(await links.count()).toBe(0);
  await goTo(page, 'tools', 'hostile', 'fails');
  await page.getByRole('button', { name: /^Call/ }).first().click();
  await page.locator('.card.result[data-state="failed"]').waitFor();
  for (const of of [
    ['servers', 'hostile'],
    ['resources'],
    ['prompts'],
    ['timeline'],
    ['policy'],
    ['catalogue'],
    ['chat'],
    ['compare', 'hostile', attack],
  ]) {
    await goTo(page, ...of);
    await settled(page);
    expect(await page.locator('#page script, #page img[src="x"], #page [onerror]').count()).toBe(0);
    expect(await links.count()).toBe(0);
  }
  await goTo(page, 'resources');
  await page.locator('.rows a', { hasText: 'onerror' }).first().click();
  await page.getByRole('button', { name: /^Read/ }).click();
  await page.locator('.card.result').waitFor();
  expect(await page.locator('.card.result').textContent()).toContain('<script>alert(1)</script>');
  expect(fixture.complaints).toEqual([]);
  expect(await page.title()).not.toBe('1');
});

test('of the icons of a hostile server only a small picture is shown, and none is fetched', async () => {
  const { page } = fixture;
  const shown: Record<string, string | null> = {};
  for (const tool of ['drawn', 'remote', 'scripted', 'disguised', 'mistaken', 'large']) {
    await goTo(page, 'tools', 'hostile', tool);
    await page.getByRole('heading', { level: 1, name: `hostile.${tool}` }).waitFor();
    const icon = page.locator('.head img');
    shown[tool] = (await icon.count()) === 0 ? null : await icon.getAttribute('src');
  }
  const none = { remote: null, scripted: null, disguised: null, mistaken: null, large: null };
  expect(shown).toEqual({ ...none, drawn: expect.stringMatching(/^data:image\/png;base64,iVBOR/) });
  expect(fixture.complaints).toEqual([]);
});

test('the page is complete without a network, in a window of 800 pixels', async () => {
  // No host name resolves, and requests to other machines go to a proxy that does not exist.
  const browser = await openBrowser(
    '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
    '--proxy-server=127.0.0.1:9',
  );
  try {
    const { page, complaints } = await openPage(browser, await copyUrl(fixture.page), { width: 800, height: 700 });
    page.on('requestfailed', (request) => complaints.push(`failed: ${request.url()}`));
    await page.locator('.sidebar [data-server="forms"][data-state="ready"]').waitFor();
    for (const of of screens) {
      await goTo(page, ...of);
      await page.locator(`[data-screen="${of[0]}"] h1`).waitFor({ state: 'attached' });
    }
    await goTo(page, 'tools', 'forms', 'echo');
    await page.getByRole('button', { name: /^Call/ }).first().click();
    await page.locator('.card.result').waitFor();
    const loaded = await page.evaluate(() =>
      performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname),
    );
    const own = /^\/(?:page\.js|page\.css|rpc|events|start|blob\/.*)$/;
    expect([...new Set(loaded)].filter((path) => !own.test(path))).toEqual([]);
    expect(complaints).toEqual([]);
  } finally {
    await browser.close();
  }
});

test('installing the package brings no package for the page: what it is made of is in its files', () => {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean; devOptional?: boolean }>;
  };
  const installed = Object.entries(packages).flatMap(([path, { dev, devOptional }]) =>
    path === '' || dev === true || devOptional === true ? [] : [path.replace('node_modules/', '')],
  );
  // The dependencies without the page.
  expect(installed).toEqual([
    ...['@cfworker/json-schema', 'ajv', 'cross-spawn', 'fast-deep-equal', 'fast-uri', 'isexe', 'jose'],
    ...['json-schema-traverse', 'path-key', 'require-from-string', 'shebang-command', 'shebang-regex'],
    ...['smol-toml', 'undici', 'which', 'yaml'],
  ]);
});

test('a second page of its own works the same', async () => {
  const second = await openPage(fixture.browser, await copyUrl(fixture.page));
  await second.page.locator('.sidebar [data-server="forms"]').waitFor();
  expect(second.complaints).toEqual([]);
  await second.context.close();
});
