/** The card that asks for permission: shows the complete action, warnings, and the rule that asks. */
import { useState } from 'preact/hooks';
import type { ConsentValue, OpenQuestion } from '../../protocol-questions.ts';
import { Button, Icon, MainButton, Note } from '../parts/elements.tsx';
import { sentence } from '../parts/format.ts';
import { TextInput } from '../parts/inputs.tsx';
import { faultText } from '../parts/json-editor.tsx';
import { parseJsonText } from '../parts/json-text.ts';
import { Menu } from '../parts/menu.tsx';
import { linkTo } from '../route.ts';
import { callOrNotify } from '../store.ts';

export type ConsentQuestion = Extract<OpenQuestion, { kind: 'consent' }>;

const titles: Readonly<Record<string, string>> = {
  spawn: 'Start this command?',
  connect: 'Connect to this URL?',
  resource: 'Read this resource?',
  prompt: 'Get this prompt?',
  completion: 'Request completions from the server?',
  sampling: 'Let the server use a model?',
  elicitation: 'Send this answer?',
  roots: 'Show these folders to the server?',
  visit: 'Open this URL?',
  message: 'Send this message as you?',
  context: 'Add this to the context of the model?',
  download: 'Save this file?',
  skill: 'Load this skill?',
};

/** Kinds of actions in words; other kinds are shown as they are. */
const actWords: Readonly<Record<string, string>> = {
  tool: 'tool call',
  spawn: 'command',
  connect: 'connection',
  elicitation: 'your answer',
  visit: 'URL',
};

export function ConsentCard({ question }: { question: ConsentQuestion }) {
  const { act } = question;
  const kind = String(act['kind']);
  const name = String(act['name']);
  const args = act['arguments'];
  const { rest, words = '' } = argumentsToShow(kind, name, args);
  const hasArguments = Object.keys(rest).length > 0;
  const initial = JSON.stringify(args ?? {}, null, 2);
  const [edited, setEdited] = useState<string>();
  const parsed = edited === undefined ? undefined : parseJsonText(edited);
  const fault = parsed !== undefined && 'fault' in parsed ? parsed.fault : undefined;
  const answer = (value: ConsentValue): void =>
    void callOrNotify('consent', {
      question: question.id,
      binding: question.binding,
      answer:
        parsed !== undefined && 'node' in parsed && value.allow
          ? { ...value, arguments: parsed.value as never }
          : value,
    });
  const remember = (scope: 'these arguments' | 'any arguments', until: 'session' | number) => () =>
    answer({ allow: true, remember: { for: scope, until } });
  return (
    <>
      <h3>{titles[kind] ?? (kind === 'tool' ? `Call ${question.server}.${name}?` : `Allow ${kind} ${name}?`)}</h3>
      {kind !== 'tool' && <div class="well">{name}</div>}
      {edited === undefined ? (
        hasArguments && <div class="well">{JSON.stringify(rest, null, 2)}</div>
      ) : (
        <TextInput
          rows={Math.min(12, edited.split('\n').length + 1)}
          name="Arguments"
          value={edited}
          onValue={setEdited}
          aria-invalid={fault === undefined ? undefined : 'true'}
        />
      )}
      {words !== '' && <p>{words}</p>}
      {fault !== undefined && (
        <p class="toned" data-tone="bad">
          {faultText(fault)}
        </p>
      )}
      <Warnings warnings={question.warnings} />
      <p>
        <Reason question={question} />
        {question.editable && hasArguments && edited === undefined && (
          <>
            {' '}
            <button type="button" class="link" onClick={() => setEdited(initial)}>
              Change the arguments
            </button>
          </>
        )}
      </p>
      {question.inTerminal === true ? (
        <Note tone="accent" symbol="terminal">
          Answer in the terminal that runs the workbench.
        </Note>
      ) : (
        <div class="actions">
          <MainButton disabled={fault !== undefined} onClick={() => answer({ allow: true })} text="Allow once" />
          {question.canRemember && (
            <Menu
              items={[
                { title: 'These arguments, this session', onChoose: remember('these arguments', 'session') },
                { title: 'Any arguments, this session', onChoose: remember('any arguments', 'session') },
              ]}
            >
              Always
            </Menu>
          )}
          <Button kind="danger" onClick={() => answer({ allow: false })} text="Deny" />
        </div>
      )}
    </>
  );
}

/** The arguments that `name` does not show already. For a command, folder and environment become a sentence (`words`). */
function argumentsToShow(
  kind: string,
  name: string,
  args: unknown,
): { readonly rest: object; readonly words?: string } {
  if (typeof args !== 'object' || args === null) return { rest: {} };
  if (kind !== 'spawn' && kind !== 'connect') return { rest: args };
  const { command, args: words = [], url, cwd, env = [], ...rest } = args as SpawnArguments;
  if (url !== name && [command, ...words].join(' ') !== name) return { rest: args };
  const phrases = [cwd && `in ${cwd}`, env.length > 0 && `with ${env.join(', ')} in its environment`].filter(Boolean);
  return { rest, words: phrases.length === 0 ? '' : sentence(phrases.join(', ')) };
}

interface SpawnArguments {
  readonly command?: string;
  readonly args?: readonly string[];
  readonly url?: string;
  readonly cwd?: string;
  readonly env?: readonly string[];
}

/** Names the rule that asks; for a built-in rule of the host, the reason. */
function Reason({ question: { rule, ruleIndex, why } }: { question: ConsentQuestion }) {
  if (rule === 'none') return 'No rule matches, so you are asked.';
  if (ruleIndex === undefined) return `You are asked because ${why}.`;
  return (
    <>
      <a href={linkTo('policy')} title={rule}>{`Rule ${ruleIndex + 1}`}</a>
      {` asks you first: ${why}.`}
    </>
  );
}

export function consentWords({ act }: ConsentQuestion): string {
  const kind = String(act['kind']);
  return `needs permission: ${actWords[kind] ?? kind}`;
}

export function Warnings({ warnings }: { warnings: readonly string[] }) {
  if (warnings.length === 0) return null;
  return (
    <div class="note" data-tone="warn">
      {warnings.map((warning) => (
        <>
          <Icon name="warning" />
          <span>{warning}</span>
        </>
      ))}
    </div>
  );
}
