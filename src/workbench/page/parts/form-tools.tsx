/** Buttons beside a field: set it, set it to null, remove it; and an input that adds a member. */
import { useState } from 'preact/hooks';
import { Button } from './elements.tsx';
import type { FormField } from './form-model.ts';
import { TextInput } from './inputs.tsx';
import type { JsonValue } from './json-text.ts';

/** Whether the field contains other fields. */
export const isGroupField = ({ kind }: FormField): boolean => ['object', 'array', 'union', 'choices'].includes(kind);

export function FieldTools(props: {
  field: FormField;
  isNull: boolean;
  isRequired: boolean;
  isSet: boolean;
  onRemove: (() => void) | undefined;
  name: string;
  set(value: JsonValue | undefined): void;
  initial(): JsonValue;
}) {
  const { field, isNull, isRequired, isSet, onRemove, set, initial, name } = props;
  const isGroup = isGroupField(field);
  return (
    <span class="field-tools">
      {field.nullable && (
        <label class="check">
          <input
            type="checkbox"
            checked={isNull}
            onChange={() => set(isNull ? (isGroup ? initial() : undefined) : null)}
            aria-label={`${name} is null`}
          />
          null
        </label>
      )}
      {isGroup && !isSet && (
        <Button small kind="quiet" symbol="plus" onClick={() => set(initial())}>
          Set {name}
        </Button>
      )}
      {isGroup && isSet && !isRequired && onRemove === undefined && (
        <Button small kind="quiet" onClick={() => set(undefined)} text="Omit" />
      )}
      {onRemove !== undefined && (
        <Button small kind="quiet" symbol="close" name={`Remove ${name}`} onClick={onRemove} />
      )}
    </span>
  );
}

export function AddMember({ onAdd }: { onAdd(name: string): void }) {
  const [name, setName] = useState('');
  const add = (): void => {
    if (name !== '') onAdd(name);
    setName('');
  };
  return (
    <div class="actions">
      <TextInput small name="Property name" value={name} onValue={setName} />
      <Button small symbol="plus" disabled={name === ''} onClick={add} text="Add property" />
    </div>
  );
}
