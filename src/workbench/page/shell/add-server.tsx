/** A server that no configuration has. A URL is opened after consent; a command needs a yes in the terminal. */
import type { TargetedEvent } from 'preact';
import { useState } from 'preact/hooks';
import type { TypedServer } from '../../protocol-rows.ts';
import { closeWindow } from '../commands.ts';
import { Segments } from '../parts/choices.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Button, Failure } from '../parts/elements.tsx';
import { goTo } from '../route.ts';
import { ask, sentenceOf } from '../store.ts';
import { splitCommand } from './split-command.ts';

export function AddServer() {
  const [kind, setKind] = useState('url');
  const [label, setLabel] = useState('');
  const [text, setText] = useState('');
  const [failure, setFailure] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const add = async (event: TargetedEvent<HTMLFormElement>): Promise<void> => {
    const dialog = event.currentTarget.closest('dialog');
    event.preventDefault();
    setBusy(true);
    setFailure(undefined);
    try {
      const [command = '', ...args] = splitCommand(text);
      const definition: TypedServer = kind === 'url' ? { url: text.trim() } : { command, args };
      const added = await ask('servers.add', { label: label.trim(), definition });
      dialog?.close();
      goTo('servers', added.label);
    } catch (error) {
      setFailure(sentenceOf(error));
    }
    setBusy(false);
  };
  return (
    <Dialog title="Add a server" onClose={closeWindow}>
      <form class="body" onSubmit={(event) => void add(event)}>
        <Segments
          label="Kind of server"
          current={kind}
          onChoose={setKind}
          items={[
            { id: 'url', title: 'URL' },
            { id: 'command', title: 'Command' },
          ]}
        />
        <div class="field">
          <label for="add-label">Label</label>
          <input
            class="input"
            id="add-label"
            required
            pattern="[A-Za-z0-9_\-]+"
            title="Letters, digits, - and _"
            placeholder="shop"
            value={label}
            autocomplete="off"
            onInput={(event) => setLabel(event.currentTarget.value)}
          />
          <small>What you call it here. Letters, digits, - and _.</small>
        </div>
        <div class="field">
          <label for="add-text">{kind === 'url' ? 'URL' : 'Command line'}</label>
          <input
            class="input mono"
            id="add-text"
            required
            type={(kind === 'url' ? 'url' : 'text') as 'url'}
            placeholder={kind === 'url' ? 'http://127.0.0.1:3000/mcp' : 'npx tsx shop.ts'}
            value={text}
            autocomplete="off"
            spellcheck={false}
            onInput={(event) => setText(event.currentTarget.value)}
          />
          <small>
            {kind === 'url'
              ? 'An MCP endpoint over Streamable HTTP or SSE.'
              : 'You confirm it in the terminal that runs the workbench. A page cannot start commands.'}
          </small>
        </div>
        {failure !== undefined && <Failure sentence={failure} />}
        {isBusy && kind === 'command' && <p class="dim">Waiting for your answer in the terminal…</p>}
        <div class="actions">
          <Button kind="primary" type="submit" disabled={isBusy}>
            Add
          </Button>
          <Button kind="quiet" onClick={(event) => event.currentTarget.closest('dialog')?.close()}>
            Cancel
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
