/** Text inputs: with a placeholder as label, or as a field with label, help and fault. */
import type { ComponentChildren, InputHTMLAttributes } from 'preact';
import { useId } from 'preact/hooks';

type TextInputProps = Omit<InputHTMLAttributes<HTMLInputElement>, 'value' | 'onInput' | 'rows' | 'label'> & {
  value: string;
  onValue(value: string): void;
  /** The accessible name, also shown as the placeholder. */
  name?: string | undefined;
  small?: boolean;
  /** Makes it a text area with this many rows. */
  rows?: number | undefined;
};

export function TextInput({ value, onValue, name, small, rows, ...rest }: TextInputProps) {
  const props = {
    class: 'input',
    'data-size': small === true ? 'small' : undefined,
    'aria-label': name,
    placeholder: name,
    autocomplete: 'off',
    spellcheck: false,
    value,
    onInput: (event: { currentTarget: { value: string } }) => onValue(event.currentTarget.value),
    ...(rest as object),
  };
  return rows === undefined ? <input {...props} /> : <textarea rows={rows} {...props} />;
}

/** A search field. The key `/` focuses the first one. */
export const SearchInput = (props: TextInputProps) => <TextInput type="search" small {...props} />;

/** A text input with label, note, help and fault. */
export function TextField({
  label,
  note,
  help,
  fault,
  ...input
}: TextInputProps & {
  label: ComponentChildren;
  note?: string;
  help?: ComponentChildren;
  fault?: string | undefined;
}) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>
        {label} {note !== undefined && <span>{note}</span>}
      </label>
      <TextInput
        id={id}
        aria-invalid={fault === undefined ? undefined : 'true'}
        aria-describedby={fault === undefined ? undefined : `${id}-fault`}
        {...input}
      />
      {fault !== undefined && (
        <small id={`${id}-fault`} data-tone="bad">
          {fault}
        </small>
      )}
      {help !== undefined && <small>{help}</small>}
    </div>
  );
}
