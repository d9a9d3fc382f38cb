/** An editor for the JSON text that is sent; shows the line and column of a syntax error. */
import { useId } from 'preact/hooks';
import { Button, Icon } from './elements.tsx';
import { TextInput } from './inputs.tsx';
import { type JsonFault, parseJsonText } from './json-text.ts';

/** Buttons for missing members; the form has all of them. */
const MAX_CHIPS = 6;

export const faultText = ({ line, column, message }: JsonFault): string => `Line ${line}, column ${column}: ${message}`;

/** Never reformats the text, except by the Format button. */
export function JsonEditor(props: {
  text: string;
  onText(text: string): void;
  missing: readonly string[];
  onAdd(name: string): void;
  onFormat(): void;
}) {
  const { text, onText, missing, onAdd, onFormat } = props;
  const id = useId();
  const parsed = parseJsonText(text);
  const fault = 'fault' in parsed ? parsed.fault : undefined;
  return (
    <div class="field">
      <div class="label">
        <label for={id}>
          JSON <span>as it is sent</span>
        </label>
        <span class="field-tools">
          <Button small kind="quiet" disabled={fault !== undefined} onClick={onFormat} text="Format" />
        </span>
      </div>
      <TextInput
        id={id}
        rows={Math.min(24, Math.max(3, text.split('\n').length + 1))}
        value={text}
        onValue={onText}
        aria-invalid={fault === undefined ? undefined : 'true'}
        aria-describedby={`${id}-fault`}
      />
      <small id={`${id}-fault`} data-tone={fault === undefined ? undefined : 'bad'} aria-live="polite">
        {fault === undefined ? '' : faultText(fault)}
      </small>
      {missing.length > 0 && (
        <div class="chips">
          {missing.slice(0, MAX_CHIPS).map((name) => (
            <Button
              key={name}
              small
              kind="quiet"
              aria-label={`Add ${name}`}
              disabled={fault !== undefined}
              onClick={() => onAdd(name)}
            >
              <Icon name="plus" />
              {name}
            </Button>
          ))}
          {missing.length > MAX_CHIPS && <small>{`and ${missing.length - MAX_CHIPS} more in the form`}</small>}
        </div>
      )}
    </div>
  );
}
