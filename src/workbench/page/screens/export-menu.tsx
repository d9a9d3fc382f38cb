/** A call as something that works elsewhere: in a shell, in a test, in a file. */
import { systemClock } from '../../../peer/clock.ts';
import type { ExportFormat } from '../../protocol-timeline.ts';
import { copyText } from '../parts/copy-text.ts';
import { Menu } from '../parts/menu.tsx';
import { notice, send } from '../store.ts';

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
  const said = await send('export', { spans, as });
  if (said === undefined) return;
  if (saves) saveFile(said.fileName, said.text);
  else await copyText(said.text);
  if (said.notes.length > 0) notice.value = said.notes.join(' ');
}

/** Of one call; only a symbol where it has a name. */
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
  // A browser that is busy opens the URL later than it was clicked.
  systemClock.after(SAVING_MS, () => URL.revokeObjectURL(url), { idle: true });
  notice.value = `Saved ${name}.`;
}
