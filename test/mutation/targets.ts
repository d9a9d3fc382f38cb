/** The source files that guard something: each decides, counts, seals, signs or refuses. */
import { readdirSync } from 'node:fs';

const GUARDED: Readonly<Record<string, RegExp>> = {
  'src/host/gate': /^(?!gate$).+$/,
  'src/host/policy':
    /^(rules|rule-text|act-match|decide-policy|budget-counters|uri-spellings|check-match|taint-tracker|decode-text|app-rule|skill-rule|visit-rule)$/,
  'src/host/consent': /^(approvals|inbox-consent|file-inbox|record-folder)$/,
  'src/host/audit': /^(?!audit$).+$/,
  'src/host/lease': /^.+$/,
  'src/host/lock': /^(check-definition|lock|lock-file|lock-rule)$/,
  'src/host/text': /^invisible$/,
  'src/server/methods': /^run-handler$/,
  'src/server/tasks': /^(methods|owner|suspect-task|task-table|time-table)$/,
  'src/revisions': /^decode-lists$/,
  'src/revisions/asks': /^(aes-gcm|seal|strategies|replayed|live|question)$/,
  'src/transport/http':
    /^(guard|admission|caller-counts|connections|header-mismatch|media|no-sessions|node-reply|node-view|rejections|sealed-id|sealed-sessions|service|session-endpoint|session-registry|session-store|session-writer|stateless-endpoint|turn-writes)$/,
  'src/transport/http-client': /^redirect-target$/,
  'src/transport': /^child-env$/,
  'src/auth/web': /^(addresses|destination|guarded-web)$/,
  'src/auth/server': /^(?!token-verifier$).+$/,
  'src/auth/client/context': /^metadata-document$/,
  'src/auth/client/credentials': /^token-store$/,
  'src/auth/client/registration': /^(issuer-binding|registrar)$/,
  'src/auth/client/sign-in': /^(authorization-response|oauth)$/,
  'src/auth/client/tokens': /^(endpoint-auth|step-up-limit|tokens|token-endpoint)$/,
  'src/files': /^(file-lock|private-file|replace-file)$/,
  'src/schema': /^(check|cost|foreign|own-checker)$/,
  'src/model': /^(header-fields|loopback|printable|secrets)$/,
  'src/peer': /^(call-hook|duplex|set-newest)$/,
  'src/jsonrpc': /^read$/,
  'src/gateway/policy': /^.+$/,
  'src/gateway/bridge':
    /^(ask-caller|ask-for-visits|call-states|carry-answer|carry-question|purpose-sealer|question-capabilities|carry-by-relay|visits|waiting-calls|waiting-questions)$/,
  'src/gateway/names': /^.+$/,
  'src/gateway/nodes': /^(peer-envelope|peer-listener)$/,
  'src/gateway/credentials': /^.+$/,
  'src/gateway/file': /^(check-meaning|secrets)$/,
  'src/gateway/upstreams': /^(call-queue|circuit)$/,
  'src/gateway/view': /^(route-request|view-capabilities)$/,
  'src/workbench': /^(access|export-texts|mask-places|page-acts|page-questions|serve-node)$/,
  'src/recording': /^scrub$/,
  'src/extensions/skills': /^(verify-skill|skill-folder|skill-uri|load-skill)$/,
  'src/extensions/apps': /^(bridge|frame|host-port|proxy-page|sandbox-node|view-methods|view-policy)$/,
  'src/host/apps': /^(view-acts|open-view)$/,
  'src/host/skills': /^(host-skills|session-skills)$/,
};

export function guardedFiles(): string[] {
  return Object.entries(GUARDED).flatMap(([folder, names]) =>
    readdirSync(folder)
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && names.test(file.slice(0, -3)))
      .map((file) => `${folder}/${file}`),
  );
}
