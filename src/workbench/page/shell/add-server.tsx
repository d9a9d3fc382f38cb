/** A dialog that adds a server to the session. A command must be confirmed in the terminal. */
import type { TargetedEvent } from 'preact';
import { useState } from 'preact/hooks';
import type { TypedServer } from '../../protocol-rows.ts';
import { closeWindow } from '../commands.ts';
import { Segments } from '../parts/choices.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Button, Failure } from '../parts/elements.tsx';
import { TextField } from '../parts/inputs.tsx';
import { useAttempt } from '../parts/use-attempt.ts';
import { goTo } from '../route.ts';
import { callVerb } from '../store.ts';

export function AddServer() {
  const [kind, setKind] = useState('url');
  const [label, setLabel] = useState('');
  const [text, setText] = useState('');
  const { isBusy, failure, attempt } = useAttempt();
  const isUrl = kind === 'url';
  const add = (event: TargetedEvent<HTMLFormElement>): void => {
    const dialog = event.currentTarget.closest('dialog');
    event.preventDefault();
    const [command = '', ...args] = splitCommand(text);
    const definition: TypedServer = isUrl ? { url: text.trim() } : { command, args };
    void attempt(callVerb('servers.add', { label: label.trim(), definition }), (added) => {
      dialog?.close();
      goTo('servers', added.label);
    });
  };
  return (
    <Dialog title="Add a server" onClose={closeWindow}>
      <form class="body" onSubmit={add}>
        <Segments
          label="Kind of server"
          current={kind}
          onChoose={setKind}
          items={[
            { id: 'url', title: 'URL' },
            { id: 'command', title: 'Command' },
          ]}
        />
        <TextField
          label="Label"
          autofocus
          required
          pattern="[A-Za-z0-9_\-]+"
          title="Letters, digits, - and _"
          placeholder="shop"
          value={label}
          onValue={setLabel}
          help="The name of the server in the workbench: letters, digits, - and _."
        />
        <TextField
          label={isUrl ? 'URL' : 'Command line'}
          class="input mono"
          required
          type={isUrl ? 'url' : 'text'}
          placeholder={isUrl ? 'http://127.0.0.1:3000/mcp' : 'npx tsx shop.ts'}
          value={text}
          onValue={setText}
          help={
            isUrl
              ? 'An MCP endpoint over Streamable HTTP or SSE.'
              : 'You confirm it in the terminal that runs the workbench. A page cannot start commands.'
          }
        />
        {failure !== undefined && <Failure sentence={failure} />}
        {isBusy && !isUrl && <p class="dim">Waiting for your answer in the terminal…</p>}
        <div class="actions">
          <Button kind="primary" type="submit" disabled={isBusy} text="Add" />
          <Button kind="quiet" onClick={(event) => event.currentTarget.closest('dialog')?.close()} text="Cancel" />
        </div>
      </form>
    </Dialog>
  );
}

/** Splits a command line into arguments. Supports quotes, but expands nothing: no shell runs it. */
function splitCommand(line: string): string[] {
  const parts = line.matchAll(/(?:"((?:\\.|[^"\\])*)"|'([^']*)'|(\S+))/g);
  return [...parts].map(([, double, single, plain]) => double?.replaceAll(/\\(["\\])/g, '$1') ?? single ?? plain ?? '');
}
