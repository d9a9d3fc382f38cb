/** The critical source files: each decides, limits, seals, signs or rejects. */
import { readdirSync } from 'node:fs';

const GUARDED: Readonly<Record<string, RegExp>> = {
  'src/host/act': /^binding$/,
  'src/host/gate': /^(?!gate$).+$/,
  'src/host/policy':
    /^(rules|rule-text|act-match|decide-policy|budget-counters|uri-spellings|check-match|taint-tracker|decode-text|app-rule|skill-rule|visit-rule)$/,
  'src/host/consent': /^(approvals|inbox-consent|file-inbox|record-folder)$/,
  'src/host/audit': /^(?!audit$).+$/,
  'src/host/lease': /^.+$/,
  'src/host/lock': /^(check-definition|lock|lock-file|lock-rule)$/,
  'src/host/text': /^invisible$/,
  'src/host/agent': /^run$/,
  'src/host/models': /^provider$/,
  'src/host/icons': /^(icon-web|svg)$/,
  'src/host/questions': /^(per-minute|sampling|sampling-tokens|secret-fields)$/,
  'src/host/servers': /^(fingerprint|plan-url)$/,
  'src/server': /^(rate-limit|scopes)$/,
  'src/server/methods': /^(cursor-page|run-handler)$/,
  'src/server/tasks':
    /^(count-before-create|limit-task-store|listen|methods|owner|record|recovery|stored-text|suspect-task|task-memory|task-table|time-table)$/,
  'src/client': /^(cache|elicitation|form-field|meta|resource-subscriptions|roots)$/,
  'src/client/tasks': /^(poll-interval|read-task|task-questions|ticket|until-reachable)$/,
  'src/stores/redis': /^(bounded-send|eviction)$/,
  'src/revisions': /^(decode-lists|select)$/,
  'src/revisions/asks': /^(aes-gcm|seal|strategies|replayed|live|question)$/,
  'src/transport/http':
    /^(guard|admission|caller-counts|connections|expiry|header-mismatch|media|no-sessions|node-reply|node-view|rejections|sealed-id|sealed-sessions|service|session-endpoint|session-registry|session-store|session-writer|sse-endpoints|stateless-endpoint|turn-writes)$/,
  'src/transport/http-client': /^(credentials|http-errors|redirect-target|sse-endpoint)$/,
  'src/transport': /^child-env$/,
  'src/auth/web': /^(addresses|destination|guarded-web|http-sender-node|json-body|trace)$/,
  'src/auth/server': /^(?!token-verifier$).+$/,
  'src/auth/client/context': /^(browser-url|metadata-document)$/,
  'src/auth/client/credentials': /^(file-credentials-node|file-credentials-seal-node|token-store)$/,
  'src/auth/client/discovery': /^(authorization-server|resource-metadata|scopes)$/,
  'src/auth/client/identity': /^client-identity$/,
  'src/auth/client/machine': /^(enterprise-managed|machine-auth|token-exchange)$/,
  'src/auth/client/registration': /^(issuer-binding|registrar)$/,
  'src/auth/client/sign-in':
    /^(authorization-request|authorization-response|browser-sign-in-node|manual-sign-in|oauth|sign-in-grant|sign-out)$/,
  'src/auth/client/tokens': /^(endpoint-auth|id-token|revocation|shared-work|step-up-limit|tokens|token-endpoint)$/,
  'src/files': /^(file-lock|private-file|replace-file)$/,
  'src/schema': /^(check|cost|foreign|own-checker|pattern-cost|weigh)$/,
  'src/model': /^(canonical|completed-uri|header-fields|loopback|printable|secrets)$/,
  'src/peer': /^(call-hook|duplex|incoming-requests|set-newest|throttle|time-limit)$/,
  'src/jsonrpc': /^read$/,
  'src/gateway/policy': /^.+$/,
  'src/gateway/bridge':
    /^(ask-caller|ask-for-visits|call-states|carry-answer|carry-question|purpose-sealer|question-capabilities|carry-by-relay|visits|waiting-calls|waiting-questions)$/,
  'src/gateway/names': /^.+$/,
  'src/gateway/nodes': /^(peer-envelope|peer-listener|send-to-peer)$/,
  'src/gateway/credentials': /^.+$/,
  'src/gateway/file': /^(check-meaning|secrets|upstream-url-fault)$/,
  'src/gateway/operations': /^operations-handler$/,
  'src/gateway/upstreams': /^(call-queue|circuit|fetch-list)$/,
  'src/gateway/lists': /^(list-page|part-table)$/,
  'src/gateway/view': /^(route-request|translate-error|view-capabilities)$/,
  'src/workbench': /^(access|event-feed|export-texts|large-results|mask-places|page-acts|page-questions|serve-node)$/,
  'src/recording': /^scrub$/,
  'src/cli/content': /^(file-name|output-target)$/,
  'src/cli/host': /^(command-consent|gate-settings|typed-acts)$/,
  'src/cli/install': /^links$/,
  'src/cli/module': /^options$/,
  'src/cli/servers': /^(import|known-applications)$/,
  'src/extensions/skills': /^(verify-skill|skill-folder|skill-uri|load-skill)$/,
  'src/extensions/apps': /^(bridge|frame|host-port|proxy-page|sandbox-node|view-inbox|view-methods|view-policy)$/,
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
