/** All commands of the page by name, for the palette and the keyboard shortcuts. */
import { signal } from '@preact/signals';
import type { ScreenName } from '../protocol-rows.ts';
import { copyText } from './parts/copy-text.ts';
import { count } from './parts/format.ts';
import { goTo, linkTo, route } from './route.ts';
import { isOn } from './shell/server-state.ts';
import {
  callOrNotify,
  isPaused,
  messageTotal,
  newestRows,
  notice,
  offers,
  readyServers,
  recording,
  servers,
} from './store.ts';
import { isDark, setTheme } from './theme.ts';

export type PageWindow = 'palette' | 'help' | 'add-server' | undefined;
/** The open dialog; at most one. */
export const openWindow = signal<PageWindow>(undefined);
export const showWindow = (window: PageWindow) => (): void => {
  openWindow.value = window;
};
export const closeWindow: () => void = showWindow(undefined);
export const isDockOpen = signal(true);
/** The file of the last recording, which the recordings screen suggests to open. */
export const lastRecordedFile = signal('');

export interface PageCommand {
  readonly group: 'Screens' | 'Servers' | 'Tools' | 'Resources' | 'Prompts' | 'Commands' | 'Messages';
  readonly title: string;
  readonly detail?: string;
  readonly symbol: string;
  readonly keys?: string;
  run(): void;
}

/** The screens in the order of the sidebar. `key` is pressed after `g`. */
export const screenList: readonly {
  readonly screen: ScreenName;
  readonly title: string;
  readonly key: string;
  readonly part: 'Use' | 'Inspect';
}[] = [
  { screen: 'tools', title: 'Tools', key: 't', part: 'Use' },
  { screen: 'resources', title: 'Resources', key: 'r', part: 'Use' },
  { screen: 'prompts', title: 'Prompts', key: 'p', part: 'Use' },
  { screen: 'apps', title: 'Apps', key: 'a', part: 'Use' },
  { screen: 'tasks', title: 'Tasks', key: 'k', part: 'Use' },
  { screen: 'skills', title: 'Skills', key: 's', part: 'Use' },
  { screen: 'chat', title: 'Chat', key: 'c', part: 'Use' },
  { screen: 'timeline', title: 'Timeline', key: 'l', part: 'Inspect' },
  { screen: 'catalogue', title: 'Catalogue', key: 'u', part: 'Inspect' },
  { screen: 'compare', title: 'Compare', key: 'o', part: 'Inspect' },
  { screen: 'policy', title: 'Policy', key: 'y', part: 'Inspect' },
  { screen: 'sign-in', title: 'Sign-in', key: 'i', part: 'Inspect' },
  { screen: 'travel', title: 'Recordings', key: 'e', part: 'Inspect' },
];

/** The server of the current screen if it is connected, or else the first connected one. */
export function serverInView(): string | undefined {
  const shown = route.value.of[0] ?? offers.value.tool[0]?.server;
  return readyServers.value.find(({ label }) => label === shown)?.label ?? readyServers.value[0]?.label;
}

/** Starts recording one server to a new file, or stops recording. */
export async function toggleRecording(server: string | undefined = serverInView()): Promise<void> {
  const starts = recording.value?.file === undefined;
  const time = new Date().toISOString().slice(0, 19).replaceAll(/\D/g, '');
  const file = `${(server ?? 'session').replaceAll(/[^\w.-]/g, '-')}-${time}.ndjson`;
  const result = await callOrNotify(
    'record',
    starts && server !== undefined ? { on: true, server, file } : { on: starts },
  );
  if (result === undefined) return;
  recording.value = starts ? result : { messages: 0 };
  if (!starts) lastRecordedFile.value = result.file ?? '';
  notice.value = starts
    ? `Recording the messages of ${server ?? 'the first server'} to ${result.file}`
    : `${count(result.messages, 'message')} recorded. Open them under Recordings.`;
}

async function copyInvitation(): Promise<void> {
  const invitation = await callOrNotify('invite', {});
  if (invitation === undefined) return;
  await copyText(invitation.url, 'Copied. The URL opens one more tab, within two minutes.');
}

function actions(): PageCommand[] {
  const command = (title: string, symbol: string, run: () => void, keys?: string): PageCommand => ({
    group: 'Commands',
    title,
    symbol,
    run,
    ...(keys !== undefined && { keys }),
  });
  const perServer = servers.value.flatMap((server) => {
    const { label, stage } = server;
    return [
      command(
        stage === 'ready' ? `Restart ${label}` : `Connect ${label}`,
        'refresh',
        () => void callOrNotify(stage === 'ready' ? 'servers.restart' : 'servers.connect', { server: label }),
      ),
      ...(isOn(server)
        ? [command(`Stop ${label}`, 'close', () => void callOrNotify('servers.stop', { server: label }))]
        : []),
      command(`Run checks on ${label}`, 'search', () => goTo('servers', label, 'examine')),
    ];
  });
  const named = [
    command('Add a server', 'plus', showWindow('add-server')),
    command(
      recording.value?.file === undefined ? `Record ${serverInView() ?? 'a server'}` : 'Stop recording',
      'record',
      () => void toggleRecording(),
    ),
    command(
      isPaused.value ? 'Continue the timeline' : 'Pause the timeline',
      isPaused.value ? 'play' : 'pause',
      togglePause,
      '.',
    ),
    command(isDockOpen.value ? 'Collapse the timeline' : 'Expand the timeline', 'timeline', () => {
      isDockOpen.value = !isDockOpen.value;
    }),
    command(isDark() ? 'Use the light theme' : 'Use the dark theme', 'theme', () =>
      setTheme(isDark() ? 'light' : 'dark'),
    ),
    command('Use the system theme', 'theme', () => setTheme('system')),
    command('Copy a URL for another tab', 'link', () => void copyInvitation()),
    command('Keyboard shortcuts', 'info', showWindow('help'), '?'),
    ...perServer,
  ];
  const onScreen = controlCommands();
  return [...onScreen, ...named.filter(({ title }) => onScreen.every((one) => one.title !== title))];
}

const FIELDS = 'select, textarea, input:not([type="checkbox"], [type="radio"], [type="file"])';

/** The visible name of a control: its label, or its text without the shortcut beside it. */
function nameOf(control: HTMLElement): string {
  // Only fields have labels.
  const labels = [...((control as HTMLInputElement).labels ?? [])];
  const words = (labels.length > 0 ? labels : [control]).map((part) => {
    const copy = part.cloneNode(true) as HTMLElement;
    for (const hidden of copy.querySelectorAll('[aria-hidden="true"], select, textarea')) hidden.remove();
    return copy.textContent;
  });
  return (control.getAttribute('aria-label') ?? words.join(' ')).replace(/\s+/g, ' ').trim();
}

/** Tells controls of the same name apart: the text of the row, or the name of the surrounding part of the screen. */
function placeOf(control: HTMLElement): string {
  const row = control.closest('main :is(tr, li, .lock-row)')?.textContent.replace(/\s+/g, ' ').slice(0, 60);
  const part = control.parentElement?.closest('[aria-label]:not([role="menu"], [role="group"])');
  return row ?? part?.getAttribute('aria-label') ?? 'on this screen';
}

/** Commands that click or focus a control of the current screen or of a question. Without rows, which j, k and Enter open. */
function controlCommands(): PageCommand[] {
  const controls = document.querySelectorAll<HTMLElement>(
    ':is(main, .asked) :is(button, a[href], summary, select, textarea, input):not(:disabled, [data-row], [role="tab"][aria-selected="true"])',
  );
  const named = new Map<string, PageCommand>();
  for (const control of controls) {
    const [title, detail, isField] = [nameOf(control), placeOf(control), control.matches(FIELDS)];
    const run = (): void => {
      if (control.tagName !== 'SUMMARY') control.closest('details')?.setAttribute('open', '');
      control.focus();
      if (!isField) control.click();
    };
    if (title !== '')
      named.set(`${title} ${detail}`, { group: 'Commands', title, detail, symbol: isField ? 'write' : 'right', run });
  }
  return [...named.values()];
}

export function togglePause(): void {
  isPaused.value = !isPaused.value;
  notice.value = isPaused.value ? 'The timeline is paused.' : 'The timeline is live.';
}

/** All commands that are available now. */
export function pageCommands(): PageCommand[] {
  const link = (
    group: PageCommand['group'],
    symbol: string,
    title: string,
    detail: string,
    hash: string,
  ): PageCommand => ({ group, symbol, title, detail, run: () => (location.hash = hash) });
  return [
    ...offers.value.tool.map((tool) =>
      link('Tools', 'tools', tool.name, tool.description, linkTo('tools', tool.server, tool.key)),
    ),
    ...screenList.map(
      ({ screen, title, key }): PageCommand => ({
        group: 'Screens',
        symbol: screen,
        title,
        keys: `g ${key}`,
        run: () => goTo(screen),
      }),
    ),
    ...servers.value.map((server) =>
      link('Servers', 'terminal', server.label, server.address, linkTo('servers', server.label)),
    ),
    ...offers.value.resource.map((one) =>
      link('Resources', 'resources', one.title, one.key, linkTo('resources', one.server, one.key)),
    ),
    ...offers.value.template.map((one) =>
      link('Resources', 'template', one.title, one.key, linkTo('resources', one.server, one.key)),
    ),
    ...offers.value.prompt.map((one) =>
      link('Prompts', 'prompts', one.name, one.description, linkTo('prompts', one.server, one.key)),
    ),
    ...actions(),
    ...newestRows.value
      .slice(-100)
      .map((row) =>
        link(
          'Messages',
          row.side === '>' ? 'sent' : 'received',
          `#${row.id} ${row.method} ${row.subject ?? ''}`,
          row.server,
          linkTo('timeline', row.id),
        ),
      ),
  ];
}

/** The number of items on a screen, for the sidebar. */
export function screenCount(screen: ScreenName): number | undefined {
  const { tool, resource, template, prompt } = offers.value;
  if (screen === 'tools') return tool.length;
  if (screen === 'resources') return resource.length + template.length;
  if (screen === 'prompts') return prompt.length;
  if (screen === 'apps') return tool.filter(({ view }) => view !== undefined).length;
  return screen === 'timeline' ? messageTotal.value : undefined;
}
