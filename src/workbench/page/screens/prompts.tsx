/** Prompts: fill in the arguments, with completion, and see the messages as a model would. */
import { useState } from 'preact/hooks';
import type { JsonObject } from '../../../jsonrpc/message.ts';
import type { OfferRow } from '../../protocol-rows.ts';
import { CompletingFields } from '../parts/completing-fields.tsx';
import { ContentBlock } from '../parts/content.tsx';
import { Button, EmptyState } from '../parts/elements.tsx';
import { useOutcome } from '../parts/use-outcome.ts';
import { route } from '../route.ts';
import { ask, offers, travelling } from '../store.ts';
import { OfferList } from './offer-list.tsx';
import { OutcomeCard } from './outcome.tsx';

interface PromptArgument {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly required?: boolean;
}

function Prompt({ item }: { item: OfferRow }) {
  const args = (item.definition['arguments'] ?? []) as readonly PromptArgument[];
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const { outcome, isBusy, follow } = useOutcome<JsonObject>();
  const missing = args.filter(({ name, required }) => required === true && (values[name] ?? '') === '');
  const get = (): Promise<void> => {
    const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''));
    return follow(ask('prompt', { server: item.server, prompt: item.key, arguments: given }));
  };
  const messages = outcome?.result?.['messages'];
  return (
    <div class="pane" data-server={item.server}>
      <header class="head">
        <h1>{item.name}</h1>
        <p class="lead">{item.description === '' ? 'No description.' : item.description}</p>
      </header>
      <div class="body">
        {args.length === 0 && <p class="dim">No arguments.</p>}
        <CompletingFields
          server={item.server}
          of={{ type: 'prompt', name: item.key }}
          fields={args.map(({ name, title, description, required }) => ({
            name,
            label: title ?? name,
            note: required === true ? 'text, required' : 'text',
            help: description,
          }))}
          values={values}
          onValues={setValues}
        />
        <div class="actions">
          <Button
            kind="primary"
            symbol="play"
            keys="Ctrl ⏎"
            data-key="ctrl-enter"
            disabled={isBusy || missing.length > 0 || travelling.value !== undefined}
            onClick={() => void get()}
          >
            Get
          </Button>
          {missing.length > 0 && (
            <span class="dim">{`${missing.map(({ name }) => name).join(', ')} is required.`}</span>
          )}
        </div>
        {outcome !== undefined && (
          <OutcomeCard title="Messages for a model" outcome={outcome}>
            {Array.isArray(messages) &&
              messages.map((message: JsonObject, at: number) => (
                <div class="turn-block" key={String(at) + String(message['role'])}>
                  <h3>{String(message['role'])}</h3>
                  {(Array.isArray(message['content']) ? message['content'] : [message['content']]).map(
                    (block: JsonObject, index: number) => (
                      <ContentBlock key={String(index)} block={block} />
                    ),
                  )}
                </div>
              ))}
          </OutcomeCard>
        )}
      </div>
    </div>
  );
}

export function PromptsScreen() {
  const [server, key] = route.value.of;
  const items = offers.value.prompt;
  const chosen = key === undefined ? items[0] : items.find((item) => item.server === server && item.key === key);
  return (
    <section class="screen" data-screen="prompts">
      <div class="panes">
        <OfferList
          screen="prompts"
          items={items}
          chosen={chosen}
          label="prompts"
          look={() => ({ symbol: 'prompts', word: 'prompt' })}
        />
        {chosen === undefined ? (
          <div class="pane">
            <h1 class="sr">Prompts</h1>
            <EmptyState symbol="prompts" title={items.length === 0 ? 'No prompts' : 'Choose a prompt'}>
              <p>
                {items.length === 0
                  ? 'No connected server offers one. A server has one with prompt() among its parts.'
                  : 'Its messages are shown as they would go to a model.'}
              </p>
            </EmptyState>
          </div>
        ) : (
          <Prompt key={`${chosen.server} ${chosen.key}`} item={chosen} />
        )}
      </div>
    </section>
  );
}
