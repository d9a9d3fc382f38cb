import process from 'node:process';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { childEnv } from './child-env.ts';

const { env } = process;
const platform = Object.getOwnPropertyDescriptor(process, 'platform') as PropertyDescriptor;

function pretend(to: NodeJS.Platform, surroundings: Record<string, string>): void {
  process.env = surroundings;
  Object.defineProperty(process, 'platform', { ...platform, value: to });
}

beforeEach(() => pretend('linux', {}));
afterEach(() => {
  process.env = env;
  Object.defineProperty(process, 'platform', platform);
});

test.each([
  ['NODE_OPTIONS=--require=/tmp/x.js --title', 'NODE_OPTIONS'],
  ['TOKEN=hunter2\n=hunter3', 'TOKEN'],
  ['=x', ''],
  ['', ''],
  ['A\0B', 'A'],
])(
  'a variable that is named %j would reach the child as another one, and is an error that shows no value',
  (name, shown) => {
    expect(() => childEnv({ GOOD: '1', [name]: 'x' })).toThrow(
      new Error(`an environment variable cannot have a name that begins with "${shown}"; correct it`),
    );
  },
);

describe('on POSIX', () => {
  test('on POSIX, a child inherits only the allowed variables', () => {
    const allowed = {
      PATH: '/bin',
      HOME: '/home/ada',
      USER: 'ada',
      LOGNAME: 'ada',
      SHELL: '/bin/sh',
      TERM: 'xterm',
      LANG: 'C.UTF-8',
      TMPDIR: '/tmp',
      LC_ALL: 'C',
      LC_TIME: 'de_DE',
    };
    const refused = { AWS_SECRET_ACCESS_KEY: 's', NODE_OPTIONS: '-r x', LD_PRELOAD: 'x', XLC_ALL: 'x', path: '/x' };
    pretend('linux', { ...allowed, ...refused });
    expect(childEnv()).toStrictEqual(allowed);
  });

  test('configured variables override inherited ones', () => {
    pretend('linux', { PATH: '/bin', TOKEN: 'mine' });
    expect(childEnv({ PATH: '/opt/bin', TOKEN: 'its own', Path: 'x' })).toStrictEqual({
      PATH: '/opt/bin',
      TOKEN: 'its own',
      Path: 'x',
    });
  });
});

describe('on Windows', () => {
  test('on Windows, a child inherits only the allowed variables, in any letter case', () => {
    const allowed = {
      AppData: 'a',
      ComSpec: 'c',
      HOMEDRIVE: 'C:',
      HOMEPATH: '\\',
      LOCALAPPDATA: 'l',
      Path: 'C:\\bin',
      PATHEXT: '.EXE;.CMD',
      PROCESSOR_ARCHITECTURE: 'AMD64',
      ProgramData: 'd',
      ProgramFiles: 'p',
      SystemDrive: 'C:',
      SystemRoot: 'C:\\Windows',
      TEMP: 't',
      TMP: 't',
      USERNAME: 'ada',
      USERPROFILE: 'u',
      windir: 'w',
    };
    pretend('win32', { ...allowed, GITHUB_TOKEN: 's', LC_ALL: 'C' });
    expect(childEnv()).toStrictEqual(allowed);
  });

  test('on Windows, a configured variable overrides an inherited one whose name differs only in case', () => {
    pretend('win32', { Path: 'C:\\bin', TEMP: 't' });
    expect(childEnv({ PATH: 'D:\\bin' })).toStrictEqual({ TEMP: 't', PATH: 'D:\\bin' });
  });
});
