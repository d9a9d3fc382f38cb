/** Texts that the user types: with a label above them, or with one that they show until something is typed. */
import type { ComponentChildren, InputHTMLAttributes } from 'preact';
import { useId } from 'preact/hooks';

type TextInputProps = Omit<InputHTMLAttributes<HTMLInputElement>, 'value' | 'onInput' | 'rows' | 'label'> & {
  value: string;
  onValue(value: string): void;
  /** Said by screen readers, and shown while it is empty. */
  name?: string | undefined;
  small?: boolean;
  /** A text of several lines. */
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

/** What `/` goes to. */
export const SearchInput = (props: TextInputProps) => <TextInput type="search" small {...props} />;

/** A text with what it is called, what it is for and what is wrong with it. */
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
