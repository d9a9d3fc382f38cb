/** Keyboard shortcuts. Each key does what a visible control does; single keys are ignored while the user types. */
import { effect } from '@preact/signals';
import { openWindow, screenList, showWindow, togglePause } from './commands.ts';
import { closeLastOpened } from './parts/use-escape.ts';
import { goTo, route } from './route.ts';

const AREAS = ['.sidebar', 'main', '.asked', '.dock'];
/** Time to press the second key after `g`, measured by event timestamps because a busy page handles keys late. */
const CHORD_MS = 1_500;

function isTyping(target: EventTarget | null): boolean {
  const fields = 'input:not([type="range"], [type="checkbox"], [type="radio"]), textarea, select';
  return target instanceof HTMLElement && (target.isContentEditable || target.matches(fields));
}

/** Clicks the control with this `data-key`: first in the focused question or screen, then in the screen. */
function clickControl(key: string): boolean {
  const near = document.activeElement?.closest('.ask, main');
  const control =
    near?.querySelector<HTMLElement>(`[data-key~="${key}"]:not(:disabled)`) ??
    document.querySelector<HTMLElement>(`main [data-key~="${key}"]:not(:disabled)`);
  control?.click();
  return control !== null && control !== undefined;
}

function moveRow(step: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>('main [data-row]')].filter(
    (row) => row.offsetParent !== null,
  );
  const focused = rows.findIndex((row) => row === document.activeElement || row.contains(document.activeElement));
  const chosen = rows.findIndex(
    (row) => row.getAttribute('aria-current') === 'true' || row.getAttribute('aria-selected') === 'true',
  );
  const at = focused === -1 ? chosen : focused;
  const next = rows[at === -1 ? 0 : Math.max(0, Math.min(rows.length - 1, at + step))];
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}

function moveArea(step: 1 | -1): void {
  const areas = AREAS.flatMap((selector) => [...document.querySelectorAll<HTMLElement>(selector)]).filter(
    (area) => area.offsetParent !== null,
  );
  const at = areas.findIndex((area) => area.contains(document.activeElement));
  const area = areas[(at + step + areas.length) % areas.length];
  const first = area?.querySelector<HTMLElement>(
    '[aria-current="true"], a[href], button:not(:disabled), input, select, textarea, [tabindex="0"]',
  );
  (first ?? area)?.focus();
}

function handlePlainKey(key: string): boolean {
  switch (key) {
    case '/': {
      const filter =
        document.querySelector<HTMLElement>('main input[type="search"]') ??
        document.querySelector<HTMLElement>('input[type="search"]');
      filter?.focus();
      return true;
    }
    case 'j':
      moveRow(1);
      return true;
    case 'k':
      moveRow(-1);
      return true;
    case 'c':
    case 'y':
      return clickControl(key);
    case '.':
      togglePause();
      return true;
    case '?':
      showWindow('help')();
      return true;
    default:
      return false;
  }
}

/** Escape first leaves a field, so that shortcuts work, then closes what was opened last. The browser closes dialogs and popovers. */
function leaveOrClose(event: KeyboardEvent): void {
  if (openWindow.value !== undefined || event.defaultPrevented || document.querySelector(':popover-open')) return;
  if (isTyping(event.target)) (event.target as HTMLElement).blur();
  else closeLastOpened();
}

export function listenToKeys(): void {
  let chordUntil = 0;
  addEventListener('keydown', (event) => {
    const isControl = event.ctrlKey || event.metaKey;
    if (isControl && event.key.toLowerCase() === 'k') {
      openWindow.value = openWindow.value === 'palette' ? undefined : 'palette';
      event.preventDefault();
    } else if (isControl && event.key === 'Enter') {
      if (clickControl('ctrl-enter')) event.preventDefault();
    } else if (event.key === 'F6') {
      moveArea(event.shiftKey ? -1 : 1);
      event.preventDefault();
    } else if (event.key === 'Escape') leaveOrClose(event);
    else if (
      isControl ||
      event.altKey ||
      isTyping(event.target) ||
      openWindow.value !== undefined ||
      event.defaultPrevented
    )
      return;
    else if (event.timeStamp < chordUntil) {
      chordUntil = 0;
      const found = screenList.find(({ key }) => key === event.key);
      if (found !== undefined) goTo(found.screen);
    } else if (event.key === 'g') chordUntil = event.timeStamp + CHORD_MS;
    else if (handlePlainKey(event.key)) event.preventDefault();
  });
}

/** Keeps the document's title in step with the route. */
export function followTitle(): void {
  effect(() => {
    const { screen, of } = route.value;
    const name = screenList.find((one) => one.screen === screen)?.title ?? 'Servers';
    document.title = `${[of.at(-1), name].filter((part) => part !== undefined).join(' · ')} · Mooring workbench`;
  });
}
