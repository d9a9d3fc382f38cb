/** The control for one value of a form: an input, a select, or a text area for JSON. */
import { useState } from 'preact/hooks';
import type { JsoncNode } from '../../../files/jsonc.ts';
import { type JsoncPath, nodeAt } from '../../../files/jsonc-tree.ts';
import type { FieldSchema } from './field-schema.ts';
import { type FormField, inputText, inputValue } from './form-model.ts';
import { faultText } from './json-editor.tsx';
import { type JsonValue, jsonValueAt, parseJsonText } from './json-text.ts';

export interface FormContext {
  readonly text: string;
  readonly node: JsoncNode;
  readonly root: FieldSchema;
  onText(text: string): void;
}

export interface FieldProps extends FormContext {
  readonly schema: FieldSchema;
  readonly path: JsoncPath;
  readonly name: string;
  readonly isRequired: boolean;
  /** Given for items of lists and for members that the user added. */
  readonly onRemove?: (() => void) | undefined;
}

interface ControlProps extends FieldProps {
  readonly id: string;
  readonly field: FormField;
  readonly described: string;
  readonly isFaulty: boolean;
  set(value: JsonValue | undefined): void;
}

export function Control(props: ControlProps) {
  const { id, field, node, path, isRequired, described, isFaulty, set } = props;
  const own = jsonValueAt(node, path);
  const aria = {
    id,
    'aria-describedby': described === '' ? undefined : described,
    'aria-invalid': isFaulty ? ('true' as const) : undefined,
  };
  if (field.kind === 'json') return <JsonPiece {...props} />;
  if (field.kind === 'constant')
    return (
      <input
        class="input"
        {...aria}
        readOnly
        value={JSON.stringify(field.schema['const'])}
        onFocus={() => own === undefined && set(field.schema['const'])}
      />
    );
  if (field.kind === 'choice' || field.kind === 'boolean') {
    const options = field.options ?? [
      { value: true, title: 'true' },
      { value: false, title: 'false' },
    ];
    const at = options.findIndex(({ value }) => JSON.stringify(value) === JSON.stringify(own));
    return (
      <select
        class="input"
        {...aria}
        value={String(at)}
        onChange={(event) => set(options[Number(event.currentTarget.value)]?.value)}
      >
        <option value="-1">
          {own === undefined || own === null ? (isRequired ? 'Choose…' : 'Not sent') : JSON.stringify(own)}
        </option>
        {options.map((option, index) => (
          <option key={JSON.stringify(option.value)} value={String(index)}>
            {option.title}
          </option>
        ))}
      </select>
    );
  }
  const shown = inputText(field, own, sourceAt(props));
  const onInput = (event: { currentTarget: { value: string } }): void =>
    set(inputValue(field, event.currentTarget.value, isRequired));
  const placeholder = own === null ? 'null' : placeholderOf(field);
  if (field.kind === 'text' && (shown.includes('\n') || Number(field.schema['maxLength'] ?? 0) > 300))
    return <textarea class="input" {...aria} rows={4} value={shown} placeholder={placeholder} onInput={onInput} />;
  return (
    <input
      class="input"
      {...aria}
      inputMode={field.kind === 'number' ? 'decimal' : undefined}
      value={shown}
      placeholder={placeholder}
      autocomplete="off"
      spellcheck={false}
      onInput={onInput}
    />
  );
}

function placeholderOf(field: FormField): string | undefined {
  const examples = field.schema['examples'];
  const [example] = Array.isArray(examples) ? examples : [];
  return example === undefined ? undefined : `e.g. ${typeof example === 'string' ? example : JSON.stringify(example)}`;
}

/** The source text of a value; empty if absent. */
function sourceAt({ node, path, text }: Pick<FieldProps, 'node' | 'path' | 'text'>): string {
  const own = nodeAt(node, path);
  return own === undefined ? '' : text.slice(own.start, own.end);
}

/** Edits a value as JSON. Each input that parses is written to the whole text. */
function JsonPiece({ id, node, path, text, isRequired, described, set, field }: ControlProps) {
  const source = sourceAt({ node, path, text });
  const [typed, setTyped] = useState<string>();
  const parsed = typed === undefined || (typed === '' && !isRequired) ? undefined : parseJsonText(typed);
  const fault = parsed !== undefined && 'fault' in parsed ? parsed.fault : undefined;
  const onInput = (value: string): void => {
    const next = parseJsonText(value);
    setTyped(value);
    if ('node' in next) set(next.value);
    else if (value === '') set(undefined);
  };
  return (
    <>
      <textarea
        class="input"
        id={id}
        rows={2}
        spellcheck={false}
        aria-describedby={described}
        aria-invalid={fault === undefined ? undefined : 'true'}
        placeholder={field.expects === 'list' ? '[]' : '{}'}
        value={typed ?? source}
        onInput={(event) => onInput(event.currentTarget.value)}
        onBlur={() => fault === undefined && setTyped(undefined)}
      />
      {fault !== undefined && <small data-tone="bad">{faultText(fault)}</small>}
    </>
  );
}
