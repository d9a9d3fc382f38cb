/** Text fields with completions of the server, which can depend on the values of the other fields. */
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { systemClock } from '../../../peer/clock.ts';
import type { VerbParams } from '../../protocol.ts';
import { callVerb } from '../store.ts';

/** Debounce of completion requests. */
const PAUSE_MS = 120;
const MAX_OPTIONS = 12;

interface CompletingInputProps {
  readonly label: string;
  readonly note?: string | undefined;
  readonly help?: string | undefined;
  readonly value: string;
  onValue(value: string): void;
  /** Requests completions for a text, best first. */
  suggest(value: string): Promise<readonly string[]>;
}

function CompletingInput({ label, note, help, value, onValue, suggest }: CompletingInputProps) {
  const id = useId();
  const [options, setOptions] = useState<readonly string[]>([]);
  const [isOpen, setOpen] = useState(false);
  const [at, setAt] = useState(-1);
  const lookup = useRef({ isRunning: false, isOff: false, text: '' });
  /** Sends one request at a time, and none after a failure until the next focus: a policy can ask the user about each request. */
  const complete = async (): Promise<void> => {
    const { current } = lookup;
    current.text = value;
    if (current.isRunning || current.isOff) return;
    current.isRunning = true;
    let [text, found]: [string, readonly string[]] = ['', []];
    do {
      text = current.text;
      found = await suggest(text).catch(() => {
        current.isOff = true;
        return [];
      });
    } while (text !== current.text && !current.isOff);
    current.isRunning = false;
    setOptions(found.slice(0, MAX_OPTIONS));
  };
  useEffect(() => (isOpen ? systemClock.after(PAUSE_MS, () => void complete()) : undefined), [value, isOpen]);
  const choose = (option: string): void => {
    onValue(option);
    setOpen(false);
    setAt(-1);
  };
  const isShown = isOpen && options.length > 0;
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && options.length > 0) {
      setOpen(true);
      setAt((at + step + options.length) % options.length);
    } else if (event.key === 'Enter' && isOpen && at >= 0) choose(options[at] ?? value);
    else if (event.key === 'Escape' && isShown) setOpen(false);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="field completing">
      <label for={id}>
        {label} {note !== undefined && <span>{note}</span>}
      </label>
      <input
        class="input"
        id={id}
        role="combobox"
        aria-expanded={isShown}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={isShown && at >= 0 ? `${id}-${at}` : undefined}
        autocomplete="off"
        spellcheck={false}
        value={value}
        onFocus={() => {
          lookup.current.isOff = false;
          setOpen(true);
        }}
        onBlur={() => setOpen(false)}
        onInput={(event) => {
          onValue(event.currentTarget.value);
          setOpen(true);
        }}
        onKeyDown={onKeyDown}
      />
      <ul class="options" id={`${id}-list`} role="listbox" aria-label={`Suggestions for ${label}`} hidden={!isShown}>
        {options.map((option, index) => (
          <li
            key={option}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === at}
            onMouseDown={(event) => {
              event.preventDefault();
              choose(option);
            }}
          >
            {option}
          </li>
        ))}
      </ul>
      {help !== undefined && <small>{help}</small>}
    </div>
  );
}

export interface CompletingFieldsProps {
  readonly server: string;
  /** The prompt or template that the fields belong to. */
  readonly of: VerbParams<'complete'>['ref'];
  readonly fields: readonly {
    readonly name: string;
    readonly label: string;
    readonly note: string;
    readonly help?: string | undefined;
  }[];
  readonly values: Readonly<Record<string, string>>;
  onValues(values: Readonly<Record<string, string>>): void;
}

export function CompletingFields({ server, of, fields, values, onValues }: CompletingFieldsProps) {
  const suggest = async (name: string, value: string): Promise<readonly string[]> => {
    const { [name]: _, ...context } = values;
    return (await callVerb('complete', { server, ref: of, argument: { name, value }, context })).values;
  };
  return (
    <div class="fields">
      {fields.map(({ name, ...shown }) => (
        <CompletingInput
          key={name}
          {...shown}
          value={values[name] ?? ''}
          onValue={(value) => onValues({ ...values, [name]: value })}
          suggest={(value) => suggest(name, value)}
        />
      ))}
    </div>
  );
}
