/** The Prompts screen: fills in arguments with completion, and shows the messages as a model gets them. */
import { useState } from 'preact/hooks';
import type { JsonObject } from '../../../jsonrpc/message.ts';
import type { OfferRow } from '../../protocol-rows.ts';
import { CompletingFields } from '../parts/completing-fields.tsx';
import { ContentBlock } from '../parts/content.tsx';
import { MainButton } from '../parts/elements.tsx';
import { InView } from '../parts/in-view.tsx';
import { CannotSend, canSend } from '../parts/layout.tsx';
import { useOutcome } from '../parts/use-outcome.ts';
import { callVerb, offers } from '../store.ts';
import { OfferScreen } from './offer-list.tsx';
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
    return follow(item.name, callVerb('prompt', { server: item.server, prompt: item.key, arguments: given }));
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
          <MainButton
            symbol="play"
            disabled={isBusy || missing.length > 0 || !canSend(item.server)}
            onClick={() => void get()}
            text="Get"
          />
          {missing.length > 0 && (
            <span class="dim">{`Fill in ${missing.map(({ name }) => name).join(', ')} first.`}</span>
          )}
          <CannotSend server={item.server} />
        </div>
        <InView of={outcome}>
          {(got) => (
            <OutcomeCard title="Messages for a model" outcome={got}>
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
        </InView>
      </div>
    </div>
  );
}

export const PromptsScreen = () => (
  <OfferScreen
    screen="prompts"
    title="Prompts"
    items={offers.value.prompt}
    look={() => ({ symbol: 'prompts', word: 'prompt' })}
    none={['No prompts', <p>No connected server offers a prompt. Mooring servers define them with prompt().</p>]}
    other={['Choose a prompt', <p>Its messages are shown as a model gets them.</p>]}
  >
    {(item) => <Prompt key={`${item.server} ${item.key}`} item={item} />}
  </OfferScreen>
);
