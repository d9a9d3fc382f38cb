/** Texts that belong together, each with suggestions that depend on the others. */
import type { VerbParams } from '../../protocol.ts';
import { ask } from '../store.ts';
import { CompletingInput } from './completing-input.tsx';

export interface CompletingFieldsProps {
  readonly server: string;
  /** Whose arguments or variables they are. */
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
    return (await ask('complete', { server, ref: of, argument: { name, value }, context })).values;
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
