/** The Recordings screen while no recording is open: records a server, or opens a recording. */
import { useState } from 'preact/hooks';
import { recordingExtensions } from '../../protocol-rows.ts';
import { lastRecordedFile, toggleRecording } from '../commands.ts';
import { Button, Failure } from '../parts/elements.tsx';
import { TextInput } from '../parts/inputs.tsx';
import { Card } from '../parts/layout.tsx';
import { useAttempt } from '../parts/use-attempt.ts';
import { callVerb, readyServers, recording, travelling } from '../store.ts';

export function OpenRecording() {
  const [typed, setTyped] = useState<string>();
  const file = typed ?? lastRecordedFile.value;
  const { failure, attempt } = useAttempt();
  const open = (params: Parameters<typeof callVerb<'travel.open'>>[1]): Promise<void> =>
    attempt(callVerb('travel.open', params), (info) => {
      travelling.value = info;
    });
  const fromDisk = async (chosen: File | undefined): Promise<void> => {
    if (chosen !== undefined) await open({ text: await chosen.text(), name: chosen.name });
  };
  return (
    <section class="screen" data-screen="travel">
      <header class="head">
        <h1>Recordings</h1>
        <p class="lead">
          Record the messages of a server to a file, or open a recording and step through its messages.
        </p>
      </header>
      <div class="pane">
        <div class="body narrow">
          {failure !== undefined && (
            <Failure sentence={failure} remedy="Choose a file that `mooring record` or the workbench wrote." />
          )}
          <Card
            title="Record"
            symbol="record"
            actions={
              recording.value?.file !== undefined && (
                <Button kind="danger" onClick={() => void toggleRecording()} text="Stop recording" />
              )
            }
          >
            {recording.value?.file !== undefined && <p class="in mono">{recording.value.file}</p>}
            {recording.value?.file === undefined && (
              <div class="in">
                <p class="dim">
                  {readyServers.value.length === 0
                    ? 'Connect a server first. Its messages are then written to a file in the folder of the workbench, with secrets masked.'
                    : 'Writes all further messages of the server to a file in the folder of the workbench, with secrets masked.'}
                </p>
                <div class="actions">
                  {readyServers.value.map(({ label }) => (
                    <Button
                      key={label}
                      symbol="record"
                      onClick={() => void toggleRecording(label)}
                      text={`Record ${label}`}
                    />
                  ))}
                </div>
              </div>
            )}
          </Card>
          <Card title="Open" symbol="travel">
            <div class="in">
              <form
                class="actions"
                onSubmit={(event) => {
                  event.preventDefault();
                  void open({ file });
                }}
              >
                <TextInput
                  class="input grow"
                  name="Path of a recording"
                  placeholder="session.ndjson"
                  value={file}
                  onValue={setTyped}
                />
                <Button kind="primary" type="submit" disabled={file === ''} text="Open" />
              </form>
              <label class="file">
                <span>or choose a file</span>
                <input
                  type="file"
                  accept={recordingExtensions.join(',')}
                  onChange={(event) => void fromDisk(event.currentTarget.files?.[0])}
                />
              </label>
              {readyServers.value.length > 0 && (
                <div class="actions">
                  <span class="dim">or open the messages of this session with</span>
                  {readyServers.value.map(({ label }) => (
                    <Button
                      key={label}
                      small
                      aria-label={`Open this session with ${label}`}
                      onClick={() => void open({ server: label })}
                      text={label}
                    />
                  ))}
                </div>
              )}
            </div>
          </Card>
        </div>
      </div>
    </section>
  );
}
