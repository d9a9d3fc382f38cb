/** The command palette: finds tools, screens, servers, commands and messages by name. */
import type { TargetedKeyboardEvent } from 'preact';
import { useState } from 'preact/hooks';
import { closeWindow, type PageCommand, pageCommands } from '../commands.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Icon } from '../parts/elements.tsx';
import { type PaletteMatch, rankCommands } from './palette-model.ts';

const MAX_RESULTS = 40;
const prefixes: Readonly<Record<string, PageCommand['group']>> = { '>': 'Commands', '@': 'Servers', '#': 'Messages' };

function Marked({ match }: { match: PaletteMatch<PageCommand> }) {
  const { title } = match.item;
  return (
    <>
      {title.slice(0, match.start)}
      {match.length > 0 && <mark>{title.slice(match.start, match.start + match.length)}</mark>}
      {title.slice(match.start + match.length)}
    </>
  );
}

export function Palette() {
  const [query, setQuery] = useState('');
  const [at, setAt] = useState(0);
  const [all] = useState(pageCommands);
  const group = prefixes[query.charAt(0)];
  const words = group === undefined ? query : query.slice(1);
  const found = rankCommands(group === undefined ? all : all.filter((one) => one.group === group), words.trim()).slice(
    0,
    MAX_RESULTS,
  );
  const run = (match: PaletteMatch<PageCommand> | undefined, { currentTarget }: { currentTarget: Element }): void => {
    // Close first: closing restores the previous focus, which the command may then move.
    currentTarget.closest('dialog')?.close();
    closeWindow();
    match?.item.run();
  };
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLInputElement>): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      const next = (at + step + found.length) % Math.max(1, found.length);
      setAt(next);
      document.getElementById(`found-${next}`)?.scrollIntoView({ block: 'nearest' });
    } else if (event.key === 'Enter') run(found[at], event);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog class="palette" title="Search or run a command" onClose={closeWindow}>
      <div class="query">
        <Icon name="search" />
        <input
          role="combobox"
          aria-expanded="true"
          aria-controls="found"
          aria-activedescendant={found.length > 0 ? `found-${at}` : undefined}
          aria-label="Search or run a command"
          placeholder="Search or run a command"
          spellcheck={false}
          autocomplete="off"
          value={query}
          onInput={(event) => {
            setQuery(event.currentTarget.value);
            setAt(0);
          }}
          onKeyDown={onKeyDown}
        />
        <kbd>Esc</kbd>
      </div>
      <ul id="found" role="listbox" aria-label="Found">
        {found.map((match, index) => (
          <>
            {found[index - 1]?.item.group !== match.item.group && <li role="presentation">{match.item.group}</li>}
            <li
              role="option"
              id={`found-${index}`}
              aria-selected={index === at}
              onMouseMove={() => setAt(index)}
              onClick={(event) => run(match, event)}
            >
              <Icon name={match.item.symbol} />
              <span class="name">
                <Marked match={match} />
                {match.item.detail !== undefined && <span>{match.item.detail}</span>}
              </span>
              {match.item.keys !== undefined && <kbd>{match.item.keys}</kbd>}
            </li>
          </>
        ))}
      </ul>
      {found.length === 0 && <p class="none">No match. Try fewer letters.</p>}
      <footer>
        <span>
          <kbd>&gt;</kbd> commands
        </span>
        <span>
          <kbd>@</kbd> servers
        </span>
        <span>
          <kbd>#</kbd> messages
        </span>
        <span class="push">
          <kbd>↑</kbd> <kbd>↓</kbd> choose
        </span>
        <span>
          <kbd>⏎</kbd> open
        </span>
      </footer>
    </Dialog>
  );
}
