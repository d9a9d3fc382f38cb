/** The Sign-in screen: each traced step of an OAuth sign-in, and actions on its tokens. */
import { useState } from 'preact/hooks';
import { systemClock } from '../../../peer/clock.ts';
import type { ServerInfo, SignInState, SignInStepRow } from '../../protocol-rows.ts';
import { Button, EmptyState, Note, Pairs, Tag } from '../parts/elements.tsx';
import { clockTimeMs, duration } from '../parts/format.ts';
import { TextInput } from '../parts/inputs.tsx';
import { AddServerButton, ListRow, ListScreen } from '../parts/layout.tsx';
import { type StepRow, Steps } from '../parts/steps.tsx';
import { useVerb } from '../parts/use-verb.ts';
import { route } from '../route.ts';
import { callOrNotify, servers, signInEpoch } from '../store.ts';

const stepOf = ({ step, outcome, at, of, why }: SignInStepRow): StepRow => {
  const notes = outcome === 'failed' ? [why, of && <code>{of}</code>] : [of && <code>{of}</code>, why];
  return { what: step, time: clockTimeMs(at), state: outcome, notes };
};

function Session({ state }: { state: SignInState }) {
  const left = state.expiresAt === undefined ? undefined : state.expiresAt - systemClock.wall();
  return (
    <Pairs
      rows={[
        ['Signed in', state.signedIn ? 'yes' : 'no'],
        ['Issuer', state.issuer === undefined ? undefined : <code key="i">{state.issuer}</code>],
        [
          'Scopes',
          state.scopes === undefined || state.scopes.length === 0
            ? '–'
            : state.scopes.map((scope) => <Tag key={scope} text={scope} />),
        ],
        [
          'Token',
          left === undefined ? '–' : left > 0 ? `expires in ${duration(left)}` : 'expired; the next request renews it',
        ],
      ]}
    />
  );
}

function SignIn({ server }: { server: ServerInfo }) {
  const of = { server: server.label };
  const { result: state, failure, reload } = useVerb('signIn.steps', of, signInEpoch.value);
  const act = (verb: 'signIn.forget' | 'signIn.expire') => () => void callOrNotify(verb, of).then(reload);
  return (
    <div class="pane" data-server={server.label}>
      <header class="head">
        <h1>{`Sign-in at ${server.label}`}</h1>
        {server.needsSignIn && <Tag tone="warn" symbol="asks" text="needs sign-in" />}
        {state?.signedIn === true && (
          <div class="actions">
            <Button onClick={act('signIn.expire')} text="Mark the token as expired" />
            <Button kind="danger" onClick={act('signIn.forget')} text="Sign out" />
          </div>
        )}
        <p class="lead">
          <code>{server.address}</code>
        </p>
      </header>
      {failure !== undefined && <Note tone="bad">{failure}</Note>}
      {state?.supported === false && (
        <EmptyState
          symbol="sign-in"
          title="No sign-in for this server"
          text="Only servers with a URL use a sign-in (OAuth)."
        />
      )}
      {state?.supported === true && <StepsOf server={server.label} state={state} onAgain={reload} />}
    </div>
  );
}

function StepsOf({ server, state, onAgain }: { server: string; state: SignInState; onAgain(): void }) {
  const [scope, setScope] = useState('');
  const signIn = (): void =>
    void callOrNotify('signIn.again', { server, ...(scope !== '' && { scope }) }).then(onAgain);
  return (
    <div class="body">
      <Session state={state} />
      <div class="actions">
        <Button kind="primary" symbol="sign-in" onClick={signIn} text={state.signedIn ? 'Sign in again' : 'Sign in'} />
        <TextInput
          name="Scopes to request"
          placeholder="Scopes to request (optional)"
          value={scope}
          onValue={setScope}
        />
      </div>
      <section>
        <h2>Steps</h2>
        {state.steps.length === 0 ? (
          <p class="dim">
            No sign-in in this session yet. Press “Sign in” to see each request, decision and response, without secrets.
          </p>
        ) : (
          <Steps rows={state.steps.map(stepOf)} />
        )}
      </section>
    </div>
  );
}

export function SignInScreen() {
  const remote = servers.value.filter(({ kind }) => kind === 'url');
  const [wanted = remote[0]?.label] = route.value.of;
  const server = remote.find(({ label }) => label === wanted);
  const list = (
    <div class="pane list-pane">
      <ul class="rows">
        {remote.map(({ label, needsSignIn }) => (
          <ListRow
            key={label}
            to={['sign-in', label]}
            symbol="sign-in"
            tone={needsSignIn ? 'warn' : undefined}
            name={label}
            isCurrent={label === server?.label}
          />
        ))}
      </ul>
    </div>
  );
  const [empty, hint] =
    remote.length === 0
      ? ['No server over HTTP', 'Only servers with a URL use a sign-in (OAuth).']
      : ['Choose a server', 'Each step of its sign-in is listed, with the choice made and the reason.'];
  return (
    <ListScreen
      screen="sign-in"
      title="Sign-in"
      list={list}
      empty={empty}
      hint={[<p key="hint">{hint}</p>, remote.length === 0 && <AddServerButton key="add" />]}
    >
      {server && <SignIn key={server.label} server={server} />}
    </ListScreen>
  );
}
