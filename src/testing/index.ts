/** The entry point `mooring/testing`: helpers to test servers, clients and stores in memory, with any test runner. */
export { type BackendCheck, everyBackend, type OpenBackend, type PassTime } from './backend-checks.ts';
export { cassette } from './cassette.ts';
export { everyRevision } from './every-revision.ts';
export {
  type AskedOfUser,
  type FakeAnswer,
  type FakeSample,
  type FakeUser,
  fakeUser,
  type TextPattern,
} from './fake-user.ts';
export { type PlayOptions, playClient, playServer } from './play.ts';
export { type OpenTaskStore, type TaskStoreCheck, taskStoreChecks } from './task-store-checks.ts';
export { parseTranscript, type Transcript, type TranscriptLine, TranscriptMismatch } from './transcript.ts';
export { type VirtualClock, virtualClock } from './virtual-clock.ts';
