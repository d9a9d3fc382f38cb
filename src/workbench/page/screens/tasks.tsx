/** The Tasks screen: progress and outcome of tasks; detaches them, and attaches them by ticket. */
import { useState } from 'preact/hooks';
import { systemClock } from '../../../peer/clock.ts';
import type { TaskInfo } from '../../protocol-rows.ts';
import { Button, CloseButton, CopyButton, EmptyState, LinkButton, Pairs, Progress, Tag } from '../parts/elements.tsx';
import { clockTime, duration } from '../parts/format.ts';
import { TextInput } from '../parts/inputs.tsx';
import { ConnectFirst, RowTable } from '../parts/layout.tsx';
import { lookOf, type StateLook, Steps } from '../parts/steps.tsx';
import { goTo, linkTo, route } from '../route.ts';
import { callOrNotify, hasTasks, questions, readyServers, tasks } from '../store.ts';
import { CallOutcome } from './outcome.tsx';

/** Symbol and tone of a task. A completed one can have a result with `isError`. */
const taskLook = ({ status, outcome }: TaskInfo): StateLook =>
  lookOf(status === 'completed' && outcome?.result?.isError === true ? 'warning' : status);
const statusWord = ({ status }: { readonly status: string }): string =>
  status === 'input_required' ? 'needs an answer' : status;
const isOver = (task: TaskInfo): boolean => ['completed', 'failed', 'cancelled'].includes(task.status);

function TaskRow({ task, isCurrent }: { task: TaskInfo; isCurrent: boolean }) {
  const [symbol, tone] = taskLook(task);
  return (
    <tr aria-selected={isCurrent} data-state={task.status}>
      <td class="two wide">
        <a class="mono" href={linkTo('tasks', task.ticket)} data-row="">{`${task.server}.${task.tool}`}</a>
        <small>{task.outcome?.result?.isError === true ? 'Tool error' : task.message}</small>
        {task.progress !== undefined && !isOver(task) && (
          <Progress of={task.progress} label={`Progress of ${task.tool}`} />
        )}
      </td>
      <td>
        <Tag symbol={symbol} tone={tone} text={statusWord(task)} />{' '}
        {!task.attached && task.status !== 'detached' && <Tag>detached</Tag>}
      </td>
      <td class="num">{clockTime(task.createdAt)}</td>
    </tr>
  );
}

function expiryText({ until }: TaskInfo): string {
  if (until === undefined) return 'not stated by the server';
  const left = until - systemClock.wall();
  return left > 0 ? `in ${duration(left)}` : 'expired';
}

const Ticket = ({ ticket }: { ticket: string }) => (
  <span class="mono">
    {ticket} <CopyButton text={ticket} name="Copy the ticket" />
  </span>
);

function TaskDetail({ task }: { task: TaskInfo }) {
  const act = (verb: 'tasks.attach' | 'tasks.detach' | 'tasks.cancel') => () =>
    void callOrNotify(verb, { ticket: task.ticket });
  const waits = questions.value.some((question) => question.server === task.server);
  return (
    <section class="pane" aria-label={`Task ${task.tool}`}>
      <div class="bar">
        <h2>{`${task.server}.${task.tool}`}</h2>
        <Tag tone={taskLook(task)[1]} text={statusWord(task)} />
        <span class="push" />
        <CloseButton name="Close the task" onClose={() => goTo('tasks')} />
      </div>
      <div class="body">
        <Pairs
          rows={[
            ['Task', <code key="id">{task.taskId}</code>],
            ['Ticket', <Ticket key="ticket" ticket={task.ticket} />],
            ['Expires', expiryText(task)],
          ]}
        />
        {task.status === 'input_required' && waits && <p class="dim">The server waits for your answer.</p>}
        <div class="actions">
          {!isOver(task) && task.attached && (
            <Button
              onClick={act('tasks.detach')}
              title="Stop following the task, which continues on the server"
              text="Detach"
            />
          )}
          {!task.attached && <Button onClick={act('tasks.attach')} title="Follow the task again" text="Attach" />}
          {!isOver(task) && <Button kind="danger" onClick={act('tasks.cancel')} text="Cancel the task" />}
        </div>
        <section>
          <h3>States</h3>
          <Steps
            rows={task.states.map((state) => {
              const time = clockTime(state.at);
              return { what: statusWord(state), time, state: state.status, notes: [state.message] };
            })}
          />
        </section>
        {task.outcome !== undefined && <CallOutcome outcome={task.outcome} />}
      </div>
    </section>
  );
}

function Attach() {
  const [ticket, setTicket] = useState('');
  const attach = async (event: Event): Promise<void> => {
    event.preventDefault();
    const task = await callOrNotify('tasks.attach', { ticket: ticket.trim() });
    if (task !== undefined) goTo('tasks', task.ticket);
  };
  return (
    <form class="actions" onSubmit={(event) => void attach(event)}>
      <TextInput small name="Ticket of a task" value={ticket} onValue={setTicket} />
      <Button small type="submit" disabled={ticket.trim() === ''} text="Attach" />
    </form>
  );
}

export function TasksScreen() {
  const [ticket] = route.value.of;
  const all = tasks.value.toReversed();
  const chosen = all.find((task) => task.ticket === ticket);
  return (
    <section class="screen" data-screen="tasks">
      <header class="head">
        <h1>Tasks</h1>
        <Attach />
        <p class="lead">
          Calls that continue after their request. Attach a task by its ticket, also after a restart of the workbench.
        </p>
      </header>
      <div class="panes" data-open={chosen === undefined ? undefined : ''}>
        <div class="pane">
          {all.length === 0 && hasTasks.value && (
            <EmptyState symbol="tasks" title="No tasks yet">
              <p>
                Open a tool and press <b>Run as task</b>, if its server supports tasks. The task continues while you use
                other screens.
              </p>
              <ConnectFirst />
              {readyServers.value.length > 0 && <LinkButton to={['tools']} text="See the tools" />}
            </EmptyState>
          )}
          {all.length > 0 && (
            <RowTable heads={[['Task', 'wide'], 'Status', 'Started']}>
              {all.map((task) => (
                <TaskRow key={task.ticket} task={task} isCurrent={task.ticket === ticket} />
              ))}
            </RowTable>
          )}
        </div>
        {chosen !== undefined && <TaskDetail task={chosen} />}
      </div>
    </section>
  );
}
