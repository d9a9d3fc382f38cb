/** A form for a JSON Schema. Edits the same JSON text as the editor beside it; the text is the only state. */
import { useId, useState } from 'preact/hooks';
import type { JsoncPath } from '../../../files/jsonc-tree.ts';
import { Button } from './elements.tsx';
import type { FieldSchema } from './field-schema.ts';
import { Control, type FieldProps, type FormContext } from './form-control.tsx';
import { faultsIn, variantOf } from './form-faults.ts';
import { canAddMembers, type FormField, fieldOf, initialValue, itemSchema, membersOf } from './form-model.ts';
import { AddMember, FieldTools, isGroupField } from './form-tools.tsx';
import { type JsonValue, jsonValueAt, parseJsonText, withValueAt } from './json-text.ts';

/** The whole form. While the text does not parse, shows the last valid value, disabled. */
export function SchemaForm(props: { schema: FieldSchema; text: string; onText(text: string): void }) {
  const { schema, text, onText } = props;
  const parsed = parseJsonText(text);
  const [lastGood, setLastGood] = useState(text);
  const isGood = 'node' in parsed;
  if (isGood && lastGood !== text) setLastGood(text);
  const good = isGood ? parsed : parseJsonText(lastGood);
  if (!('node' in good)) return null;
  const context = { text: isGood ? text : lastGood, node: good.node, root: schema, onText };
  return (
    <fieldset class="form" disabled={!isGood} aria-label="Form">
      <RootFields {...context} />
    </fieldset>
  );
}

function RootFields(context: FormContext) {
  const field = fieldOf(context.root, context.root);
  if (field.kind === 'union') return <UnionField {...context} schema={context.root} path={[]} name="Form" isRequired />;
  if (field.kind === 'json')
    return <p class="dim">The input schema declares no properties. Write the arguments as JSON.</p>;
  if (field.kind !== 'object')
    return <FormInput {...context} schema={context.root} path={[]} name="value" isRequired />;
  return <MemberFields {...context} field={field} path={[]} />;
}

function MemberFields({ field, path, ...context }: FormContext & { field: FormField; path: JsoncPath }) {
  const value = jsonValueAt(context.node, path);
  const members = membersOf(field, value);
  const set = (name: string, next: JsonValue | undefined): void =>
    context.onText(withValueAt(context.text, [...path, name], next));
  if (members.length === 0 && !canAddMembers(field)) return <p class="dim">No arguments.</p>;
  const declared = Object.keys((field.schema['properties'] ?? {}) as object);
  return (
    <>
      {members.map((member) => (
        <FormInput
          key={member.name}
          {...context}
          schema={member.schema}
          path={[...path, member.name]}
          name={member.name}
          isRequired={member.isRequired}
          onRemove={declared.includes(member.name) ? undefined : () => set(member.name, undefined)}
        />
      ))}
      {canAddMembers(field) && (
        <AddMember
          onAdd={(name) =>
            set(name, initialValue((field.schema['additionalProperties'] ?? {}) as FieldSchema, context.root))
          }
        />
      )}
    </>
  );
}

/** One value: label, control, description and faults. */
function FormInput(props: FieldProps) {
  const { schema, path, node, root, text, name, isRequired, onText, onRemove } = props;
  const id = useId();
  const field = fieldOf(schema, root);
  const own = jsonValueAt(node, path);
  const isGroup = isGroupField(field);
  const faults = isGroup ? [] : faultsIn(schema, own, root);
  const set = (value: JsonValue | undefined): void => onText(withValueAt(text, path, value));
  const title = typeof field.schema['title'] === 'string' ? field.schema['title'] : name;
  const help = typeof field.schema['description'] === 'string' ? field.schema['description'] : undefined;
  const note = `${field.expects}${isRequired ? ', required' : ''}`;
  const label = (
    <>
      {title}
      {title.toLowerCase() !== name.toLowerCase() && typeof path.at(-1) === 'string' && <code>{name}</code>}
      <span>{note}</span>
    </>
  );
  const tools = (
    <FieldTools
      field={field}
      isNull={own === null}
      isRequired={isRequired}
      isSet={own !== undefined}
      onRemove={onRemove}
      set={set}
      initial={() => initialValue(schema, root)}
      name={name}
    />
  );
  const described = [help !== undefined && `${id}-help`, faults.length > 0 && `${id}-fault`].filter(Boolean).join(' ');
  const under = (
    <>
      {help !== undefined && <small id={`${id}-help`}>{help}</small>}
      {faults.length > 0 && (
        <small id={`${id}-fault`} data-tone="warn">
          {faults.join('; ')}
        </small>
      )}
    </>
  );
  if (isGroup)
    return (
      <fieldset class="group" data-field={path.join('/')}>
        <legend>
          {label}
          {tools}
        </legend>
        {under}
        {own !== undefined && own !== null && <GroupBody {...props} field={field} />}
      </fieldset>
    );
  return (
    <div class="field" data-field={path.join('/')}>
      <div class="label">
        <label for={id}>{label}</label>
        {tools}
      </div>
      <Control {...props} id={id} field={field} described={described} isFaulty={faults.length > 0} set={set} />
      {under}
    </div>
  );
}

function GroupBody(props: FieldProps & { field: FormField }) {
  switch (props.field.kind) {
    case 'object':
      return <MemberFields {...props} />;
    case 'array':
      return <ItemFields {...props} />;
    case 'choices':
      return <ChoiceBoxes {...props} />;
    default:
      return <UnionField {...props} />;
  }
}

function ItemFields({ field, path, node, text, root, onText }: FieldProps & { field: FormField }) {
  const own = jsonValueAt(node, path);
  const items = Array.isArray(own) ? own : [];
  return (
    <>
      {items.map((_, at) => (
        <FormInput
          // A new key when items are added or removed, because the state of a field is that of its item.
          key={`${at} of ${items.length}`}
          node={node}
          text={text}
          root={root}
          onText={onText}
          schema={itemSchema(field, at)}
          path={[...path, at]}
          name={`${at + 1}`}
          isRequired
          onRemove={() => onText(withValueAt(text, [...path, at], undefined))}
        />
      ))}
      <Button
        small
        symbol="plus"
        onClick={() =>
          onText(withValueAt(text, [...path, items.length], initialValue(itemSchema(field, items.length), root)))
        }
        text="Add item"
      />
    </>
  );
}

function ChoiceBoxes({ field, path, node, text, onText }: FieldProps & { field: FormField }) {
  const value = jsonValueAt(node, path);
  const chosen = Array.isArray(value) ? value : [];
  return (
    <div class="boxes">
      {(field.options ?? []).map((option) => {
        const isChosen = chosen.includes(option.value);
        const next = isChosen ? chosen.filter((one) => one !== option.value) : [...chosen, option.value];
        return (
          <label class="check" key={JSON.stringify(option.value)}>
            <input type="checkbox" checked={isChosen} onChange={() => onText(withValueAt(text, path, next))} />
            {option.title}
          </label>
        );
      })}
    </div>
  );
}

/** A union: chooses one of its variants. Members that the old and the new variant share keep their values. */
function UnionField(props: FieldProps) {
  const { schema, root, path, node, text, name, onText } = props;
  const field = fieldOf(schema, root);
  const value = jsonValueAt(node, path);
  const [chosen, setChosen] = useState<number>();
  const at = chosen ?? variantOf(field, value, root);
  const variant = field.variants?.[at];
  const choose = (next: number): void => {
    setChosen(next);
    const into = field.variants?.[next]?.schema ?? {};
    const initial = initialValue(into, root);
    onText(withValueAt(text, path, withSharedMembers(initial, value, into)));
  };
  const inner = variant === undefined ? undefined : fieldOf(variant.schema, root);
  return (
    <>
      <div class="field">
        <select
          class="input"
          aria-label={`Variant of ${name}`}
          value={String(at)}
          onChange={(event) => choose(Number(event.currentTarget.value))}
        >
          {(field.variants ?? []).map((one, index) => (
            <option key={one.title + String(index)} value={String(index)}>
              {one.title}
            </option>
          ))}
        </select>
      </div>
      {inner?.kind === 'object' ? (
        <MemberFields {...props} field={inner} />
      ) : (
        variant !== undefined && (
          <FormInput {...props} schema={variant.schema} name={variant.title} isRequired onRemove={undefined} />
        )
      )}
    </>
  );
}

/** The initial value of a variant, plus members of the previous value that the variant declares. */
function withSharedMembers(initial: JsonValue, before: JsonValue | undefined, into: FieldSchema): JsonValue {
  if (typeof before !== 'object' || before === null || Array.isArray(before)) return initial;
  if (typeof initial !== 'object' || initial === null || Array.isArray(initial)) return initial;
  const names = Object.keys((into['properties'] ?? {}) as object);
  return { ...Object.fromEntries(Object.entries(before).filter(([name]) => names.includes(name))), ...initial };
}
