/** The list of open questions: permissions and requests of servers. A new question is announced, but never takes the focus. */
import type { FunctionComponent } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { systemClock } from '../../../peer/clock.ts';
import type { AnswerValue, OpenQuestion } from '../../protocol-questions.ts';
import { Button, Icon, MainButton, Note } from '../parts/elements.tsx';
import type { FieldSchema } from '../parts/field-schema.ts';
import { SchemaForm } from '../parts/form.tsx';
import { initialValue } from '../parts/form-model.ts';
import { TextInput } from '../parts/inputs.tsx';
import { type JsonValue, parseJsonText } from '../parts/json-text.ts';
import { callOrNotify, questions } from '../store.ts';
import { ConsentCard, consentWords, Warnings } from './consent.tsx';

type QuestionOf<K extends OpenQuestion['kind']> = Extract<OpenQuestion, { kind: K }>;

const sendAnswer = (question: string, value: AnswerValue): void => void callOrNotify('answer', { question, value });

/** How long the question has been open, updated every second. */
function WaitingTime({ at }: { at: number }) {
  const [now, setNow] = useState(systemClock.wall());
  useEffect(() => systemClock.after(1_000, () => setNow(systemClock.wall())), [now]);
  const seconds = Math.max(0, Math.floor((now - at) / 1_000));
  return <span class="num">{`${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`}</span>;
}

function FormCard({ question }: { question: QuestionOf<'form'> }) {
  const schema = question.requestedSchema as FieldSchema;
  const begin = (): string =>
    JSON.stringify({ ...(initialValue(schema, schema) as object), ...question.values }, null, 2);
  const [text, setText] = useState(begin);
  const parsed = parseJsonText(text);
  const accept = (content: { [name: string]: JsonValue }): void =>
    sendAnswer(question.id, { kind: 'form', action: 'accept', content });
  const flag = onlyFlag(schema);
  return (
    <>
      <h3>{question.message}</h3>
      {question.fault !== undefined && (
        <p class="toned" data-tone="bad">
          {question.fault}
        </p>
      )}
      {flag === undefined && <SchemaForm schema={schema} text={text} onText={setText} />}
      <div class="actions">
        {flag === undefined ? (
          <MainButton
            onClick={() => 'node' in parsed && accept(parsed.value as { [name: string]: JsonValue })}
            text="Send answer"
          />
        ) : (
          <>
            <MainButton onClick={() => accept({ [flag]: true })} text="Yes" />
            <Button onClick={() => accept({ [flag]: false })} text="No" />
          </>
        )}
        <Button
          kind={flag === undefined ? undefined : 'quiet'}
          title="Tells the server that you declined"
          onClick={() => sendAnswer(question.id, { kind: 'form', action: 'decline' })}
          text="Decline"
        />
        <Button
          kind="quiet"
          title="Closes the question, and tells the server that you did not answer"
          onClick={() => sendAnswer(question.id, { kind: 'form', action: 'cancel' })}
          text="Dismiss"
        />
      </div>
    </>
  );
}

/** The name of the only member, if the form has a single required boolean: it is shown as Yes and No buttons. */
function onlyFlag({ properties, required }: FieldSchema): string | undefined {
  const [[name, member] = ['', {}], ...more] = Object.entries((properties ?? {}) as Record<string, FieldSchema>);
  const isFlag =
    more.length === 0 && member['type'] === 'boolean' && Array.isArray(required) && required.includes(name);
  return isFlag ? name : undefined;
}

function VisitCard({ question }: { question: QuestionOf<'visit'> }) {
  return (
    <>
      <h3>Continue at {question.host}</h3>
      <div class="well">{question.url}</div>
      <div class="actions">
        <Button
          kind="primary"
          symbol="link"
          onClick={() => window.open(question.url, '_blank', 'noopener,noreferrer')}
          text="Open the page"
        />
        <Button onClick={() => sendAnswer(question.id, { kind: 'visit', action: 'done' })} text="Done" />
        <Button
          kind="quiet"
          onClick={() => sendAnswer(question.id, { kind: 'visit', action: 'cancel' })}
          text="Dismiss"
        />
      </div>
    </>
  );
}

function SamplingCard({ question }: { question: QuestionOf<'sampling'> }) {
  const [text, setText] = useState('');
  const { messages, systemPrompt } = question.request as {
    messages?: readonly { role?: unknown; content?: unknown }[];
    systemPrompt?: unknown;
  };
  return (
    <>
      <h3>Write the reply of the model</h3>
      <p>The server requests a reply of a model (sampling). No model is configured, so you write the reply.</p>
      {typeof systemPrompt === 'string' && <div class="well">{`system: ${systemPrompt}`}</div>}
      {(messages ?? []).map((message) => (
        <div
          class="well"
          key={JSON.stringify(message)}
        >{`${String(message.role)}: ${contentText(message.content)}`}</div>
      ))}
      <TextInput rows={3} name="Reply of the model" value={text} onValue={setText} />
      <div class="actions">
        <MainButton
          disabled={text === ''}
          onClick={() => sendAnswer(question.id, { kind: 'sampling', action: 'accept', text })}
          text="Send reply"
        />
        <Button onClick={() => sendAnswer(question.id, { kind: 'sampling', action: 'decline' })} text="Decline" />
      </div>
    </>
  );
}

function contentText(content: unknown): string {
  const blocks = Array.isArray(content) ? content : [content];
  return blocks
    .map((block: unknown) =>
      typeof block === 'object' && block !== null && 'text' in block ? String(block.text) : JSON.stringify(block),
    )
    .join('\n');
}

function InputCard({ question }: { question: QuestionOf<'input'> }) {
  const [text, setText] = useState(question.default ?? '');
  const accept = (): void => sendAnswer(question.id, { kind: 'input', action: 'accept', text });
  return (
    <>
      <h3>{question.description}</h3>
      {question.options === undefined ? (
        <TextInput
          type={question.password ? 'password' : 'text'}
          aria-label={question.description}
          value={text}
          onValue={setText}
        />
      ) : (
        <select
          class="input"
          aria-label={question.description}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        >
          {question.options.map((option) => (
            <option key={option}>{option}</option>
          ))}
        </select>
      )}
      <div class="actions">
        <MainButton onClick={accept} text="Use this value" />
        <Button
          kind="quiet"
          onClick={() => sendAnswer(question.id, { kind: 'input', action: 'cancel' })}
          text="Dismiss"
        />
      </div>
    </>
  );
}

/** Displays a question that only the terminal can answer. */
function TerminalCard({ question }: { question: QuestionOf<'command' | 'reveal'> }) {
  const isCommand = question.kind === 'command';
  return (
    <>
      <h3>{isCommand ? 'Start this command?' : 'Show this masked value?'}</h3>
      <div class="well">{isCommand ? question.commandLine : question.what}</div>
      {isCommand && question.variables.length > 0 && <p>With {question.variables.join(', ')} in its environment.</p>}
      <Note tone="accent" symbol="terminal">
        Answer in the terminal that runs the workbench{isCommand && '. A page cannot start commands'}.
      </Note>
    </>
  );
}

interface QuestionLook<K extends OpenQuestion['kind']> {
  readonly Card: FunctionComponent<{ question: QuestionOf<K> }>;
  subject(question: QuestionOf<K>): string;
  /** What the server does. Default: "asks". */
  words?(question: QuestionOf<K>): string;
}

const questionLooks: { readonly [K in OpenQuestion['kind']]: QuestionLook<K> } = {
  consent: { Card: ConsentCard, subject: ({ act }) => String(act['name']), words: consentWords },
  form: {
    Card: FormCard,
    subject: ({ message }) => message,
    words: ({ during }) => (during === undefined ? 'asks' : `asks, during ${during.name}`),
  },
  visit: { Card: VisitCard, subject: ({ host }) => host },
  sampling: { Card: SamplingCard, subject: () => 'sampling', words: () => 'A server requests a model' },
  input: { Card: InputCard, subject: ({ description }) => description },
  command: {
    Card: TerminalCard,
    subject: ({ commandLine }) => commandLine,
    words: () => 'needs permission: command',
  },
  reveal: { Card: TerminalCard, subject: ({ what }) => what, words: () => 'needs permission: masked value' },
};

/** The look for the kind of the question, so it accepts the question. */
const lookOf = ({ kind }: OpenQuestion) => questionLooks[kind] as unknown as QuestionLook<OpenQuestion['kind']>;

const wording = (question: OpenQuestion): string => lookOf(question).words?.(question) ?? 'asks';

/** The announcement of a question for screen readers. */
export function questionSentence(question: OpenQuestion): string {
  return [`${question.server} ${wording(question)}`.trim(), lookOf(question).subject(question)].join(': ');
}

/**
 * Moves the focus when the focused question closes. If other questions are open, focuses their area and none of them, so that a key
 * pressed twice cannot answer two. Otherwise focuses the screen, but no field of it, so that shortcuts work.
 */
function useFocusOnClose(all: readonly OpenQuestion[]) {
  const area = useRef<HTMLElement>(null);
  const isInside = useRef(false);
  useLayoutEffect(() => {
    if (isInside.current && document.activeElement === document.body)
      (area.current ?? document.getElementById('main'))?.focus();
    isInside.current &&= area.current !== null;
  }, [all]);
  return {
    ref: area,
    onFocusIn() {
      isInside.current = true;
    },
    onFocusOut({ relatedTarget }: FocusEvent) {
      if (relatedTarget instanceof Node) isInside.current = area.current?.contains(relatedTarget) === true;
    },
  };
}

export function OpenQuestions() {
  const all = questions.value;
  const focus = useFocusOnClose(all);
  if (all.length === 0) return null;
  return (
    <aside class="asked" id="asked" aria-label="Waiting for you" tabIndex={-1} {...focus}>
      <div class="bar">
        <h2>Waiting for you</h2>
        <span class="tag" data-tone="warn">
          {all.length}
        </span>
      </div>
      {all.map((question) => {
        const { Card } = lookOf(question);
        return (
          <section
            key={question.id}
            class="ask"
            data-question={question.id}
            data-kind={question.kind}
            aria-label={questionSentence(question)}
          >
            <header>
              <Icon name="asks" />
              <b>{question.server}</b> {wording(question)}
              <WaitingTime at={question.at} />
            </header>
            <Card question={question} />
            {question.kind !== 'consent' && <Warnings warnings={question.warnings} />}
          </section>
        );
      })}
    </aside>
  );
}
