import { expect, test } from 'vitest';
import { configPlaces } from './config-places.ts';

test.each(['', 'settings'])(
  'files of the user are never in the working directory where XDG_CONFIG_HOME is "%s"',
  (named) => {
    const places = configPlaces({
      cwd: '/work',
      home: '/home/ada',
      platform: 'linux',
      env: { XDG_CONFIG_HOME: named },
    });
    const files = places.filter(({ scope }) => scope === 'user').map(({ file }) => file);
    expect(files.length).toBeGreaterThan(0);
    expect(files.filter((file) => !file.startsWith('/home/ada/'))).toEqual([]);
  },
);

test('an absolute XDG_CONFIG_HOME holds the files of the user', () => {
  const places = configPlaces({
    cwd: '/work',
    home: '/home/ada',
    platform: 'linux',
    env: { XDG_CONFIG_HOME: '/etc/ada' },
  });
  expect(places.some(({ file }) => file.startsWith('/etc/ada/'))).toBe(true);
});
