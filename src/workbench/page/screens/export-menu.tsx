/** The menu that exports a call: as command line, curl, JSON, test or recording. */
import { systemClock } from '../../../peer/clock.ts';
import type { ExportFormat } from '../../protocol-timeline.ts';
import { copyText } from '../parts/copy-text.ts';
import { Menu } from '../parts/menu.tsx';
import { callOrNotify, notice } from '../store.ts';

/** How long the object URL of a saved file stays valid. */
const SAVING_MS = 60_000;

const formats: readonly {
  readonly as: ExportFormat;
  readonly title: string;
  readonly saves: boolean;
  readonly keys?: string;
}[] = [
  { as: 'cli', title: 'Copy as command line', saves: false, keys: 'y' },
  { as: 'curl', title: 'Copy as curl', saves: false },
  { as: 'json', title: 'Copy as JSON', saves: false },
  { as: 'test', title: 'Save as test', saves: true },
  { as: 'cassette', title: 'Save as recording', saves: true },
];

async function exportSpans(spans: readonly number[], as: ExportFormat, saves: boolean): Promise<void> {
  const exported = await callOrNotify('export', { spans, as });
  if (exported === undefined) return;
  if (saves) saveFile(exported.fileName, exported.text);
  else await copyText(exported.text);
  if (exported.notes.length > 0) notice.value = exported.notes.join(' ');
}

/** Exports one call. With `name`, the button is a symbol with this accessible name. */
export function ExportMenu({ span, name }: { span: number; name?: string }) {
  const items = formats.map(({ as, title, saves, keys }) => ({
    title,
    keys,
    onChoose: () => void exportSpans([span], as, saves),
  }));
  return (
    <Menu symbol="export" items={items} {...(name !== undefined && { name })}>
      {name === undefined && 'Export'}
    </Menu>
  );
}

function saveFile(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // A busy browser reads the URL some time after the click, so it cannot be revoked at once.
  systemClock.after(SAVING_MS, () => URL.revokeObjectURL(url), { idle: true });
  notice.value = `Saved ${name}.`;
}
