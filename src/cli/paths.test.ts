import { expect, test } from 'vitest';
import { stateFolder } from './paths.ts';

const home = '/home/ada';

test.each([
  [{ XDG_STATE_HOME: '/var/ada' }, '/var/ada/mooring'],
  [{ XDG_STATE_HOME: '' }, '/home/ada/.local/state/mooring'],
  [{ XDG_STATE_HOME: 'state' }, '/home/ada/.local/state/mooring'],
  [{}, '/home/ada/.local/state/mooring'],
])('the state folder never depends on the working directory: %j', (env, expected) => {
  expect(stateFolder({ home, platform: 'linux', env })).toBe(expected);
});

test.each([
  [{ LOCALAPPDATA: 'D:\\ada' }, 'D:\\ada\\mooring'],
  [{ LOCALAPPDATA: '' }, 'C:\\ada\\AppData\\Local\\mooring'],
])('the state folder of Windows never depends on the working directory: %j', (env, expected) => {
  expect(stateFolder({ home: 'C:\\ada', platform: 'win32', env })).toBe(expected);
});
