/** Patterns of prompt injection: text for a model that the user should not notice. They match text that `foldText` returned. */

/** The kinds of suspicious text. */
export type Oddity =
  | 'hidden'
  | 'control'
  | 'mixed'
  | 'markup'
  | 'override'
  | 'concealment'
  | 'exfiltration'
  | 'path'
  | 'order'
  | 'secret'
  | 'url'
  | 'blob'
  | 'foreign'
  | 'long';

interface OddityPattern {
  readonly oddity: Oddity;
  /** Whether honest text hardly ever has it. */
  readonly strong: boolean;
  readonly pattern: RegExp;
}

const strong = (oddity: Oddity, ...patterns: readonly RegExp[]): readonly OddityPattern[] =>
  patterns.map((pattern) => ({ oddity, strong: true, pattern }));
const weak = (oddity: Oddity, ...patterns: readonly RegExp[]): readonly OddityPattern[] =>
  patterns.map((pattern) => ({ oddity, strong: false, pattern }));

/** Gaps within a pattern are short and stay within a sentence, so that no text takes long to match. */
export const oddityPatterns: readonly OddityPattern[] = [
  ...strong(
    'markup',
    /<\/?(?:important|system|instructions|critical|tool_(?:call|result|use)|function_calls?|untrusted)\b[^>]{0,40}>/g,
    // Only closing tags: opening ones are common as placeholders.
    /<\/(?:user|prompt|secret|admin|hidden|assistant|instruction)>/g,
    /\[\/?(?:inst|system|sys|important|hidden)\]|<\|[a-z_]{2,20}\|>|<<\/?sys>>|<!--/g,
    /(?:^|[#*] ?)(?:system|assistant|developer) ?(?:prompt|message)? ?: /g,
  ),
  ...strong(
    'override',
    /\b(?:ignore|disregard|forget|override|bypass)\b[^.!?]{0,30}\b(?:previous|prior|above|earlier|a(?:ll|ny)|other|your|system|safety)\b[^.!?]{0,30}\b(?:instructions?|prompts?|guidelines?)\b/g,
    /\b(?:ignore|disregard|forget)\b[^.!?]{0,20}\b(?:previous|prior|above|earlier|other|your|safety)\b[^.!?]{0,20}\b(?:rules?|polic(?:y|ies)|restrictions?|messages?|tools?)\b/g,
    /\b(?:you are|act as|behave as) (?:now |an? )?(?:in )?(?:unrestricted|developer mode|jailbroken|admin mode|root mode)/g,
    /\b(?:new|updated|real) (?:system )?instructions ?(?::|follow|are|apply)/g,
  ),
  ...strong(
    'concealment',
    /\b(?:do not|don't|never|must not|should not|shouldn't|mustn't|avoid|without)\b[^.!?]{0,15}\b(?:tell(?:ing)?|mention(?:ing)?|inform(?:ing)?|show(?:ing)?|reveal(?:ing)?|notify(?:ing)?|alert(?:ing)?|disclos(?:e|ing)|explain(?:ing)?|display(?:ing)?)\b[^.!?]{0,30}\b(?:user|human|anyone|anybody|them|person|customer)\b/g,
    /\b(?:do not|don't|never)\b (?:mention|reveal|disclose|tell)\b[^.!?]{0,25}\b(?:this|that you|these|it|about)\b/g,
    /\b(?:secretly|covertly|discreetly|behind the (?:user's|users') back|without (?:the user's|their|user) (?:knowledge|noticing|knowing))\b/g,
    /\buser (?:must|should|need|does|will)(?: not|n't) (?:see|know|notice|be told|be aware|be shown)\b/g,
  ),
  ...strong(
    'exfiltration',
    /\b(?:send|forward|upload|post|transmit|leak|exfiltrate|copy|append|include|pass|attach|embed|insert|put)\b[^.!?]{0,40}\b(?:(?:full|entire|whole|complete|current|previous|prior|our|user's) (?:conversation|chat)|(?:chat|conversation|message) history|system prompt|(?:full|entire) context|context window|(?:your|previous|other) (?:tool )?(?:instructions|results|tools))\b/g,
    /\b(?:send|forward|upload|post|transmit|leak|exfiltrate)\b[^.!?]{0,40}\b(?:environment variables|credentials|private keys?|file contents?)\b/g,
    /\bbcc\b[^.!?]{0,40}\b[\w.+-]{1,40}@/g,
  ),
  ...strong(
    'path',
    /(?:~|\$home|\/home\/[\w.-]{1,40}|\/root|%userprofile%)[/\\]?\.(?:ssh|aws|gnupg|kube|docker|cursor|claude|config\/gcloud|netrc|npmrc|git-credentials|bash_history|zsh_history)\b/g,
    /\b(?:id_(?:rsa|ed25519|ecdsa|dsa)|authorized_keys|known_hosts)\b|\/etc\/(?:passwd|shadow|sudoers)\b|\/proc\/self\/environ\b/g,
    /(?<!\w)(?:\.cursor|\.vscode|\.claude)\/[\w/.-]{0,20}\.json\b|\bclaude_desktop_config\b/g,
    /\b(?:read|open|cat|load|send|include|contents? of)\b[^.!?]{0,30}(?<![\w/])\.env\b/g,
  ),
  ...weak(
    'order',
    /\b(?:before|after|when|whenever|prior to) (?:you )?(?:using|calling|use|call|running|invoking|answering|invoke|run|respond|answer)\b[^.!?]{0,20}\b(?:this|a(?:ny|ll|nother)|other|every|the)\b[^.!?]{0,15}\b(?:tools?|functions?|server|question|request)/g,
    /\byou (?:must|have to|need to|are required to|shall|should always|will always|are now)\b/g,
    /\b(?:always|must|first|immediately)\b[^.!?]{0,15}\b(?:call|use|invoke|run|execute)\b[^.!?]{0,25}\b(?:this|tools?|function|first|instead)\b/g,
    /\b(?:instead of|rather than|do not use|don't use|never use|over|precedence over|replaces?)\b[^.!?]{0,15}\b(?:other|a(?:nother|ny|ll)|built-?in|native|existing)\b[^.!?]{0,15}\b(?:tools?|servers?|functions?)\b/g,
    /\b(?:assistant|model|llm|agent|ai) (?:must|should|shall|has to|needs to|is required to)\b/g,
    /\b(?:otherwise|or else)\b[^.!?]{0,30}\b(?:will (?:not work|fail)|fails?|crash)/g,
    /\b(?:without|no need (?:to|for)|skip|never)\b[^.!?]{0,20}\b(?:ask(?:ing)?|confirmations?|confirming|consent|approval|permission)\b/g,
  ),
  ...weak(
    'secret',
    /\b(?:api|access|private|secret|ssh|encryption)[ _-]?keys?\b|\bpass(?:word|phrase|code)s?\b|\b(?:access|bearer|auth|refresh|session|api)[ _-]?tokens?\b|\bcredentials?\b|\b(?:credit|debit) card\b|\bcvv\b|\bsocial security number\b|\bseed phrase\b|\bone[- ]time (?:code|password)\b/g,
  ),
  ...weak(
    'url',
    /\b(?:https?|wss?|ftp|file|javascript):\/?\/?[^\s"'<>`)\]]{4,200}|\bdata:[a-z]{1,20}\/[^\s"'<>`)\]]{4,200}/g,
    /\b[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}\b/g,
  ),
  ...weak(
    'blob',
    /(?<![\w+/=-])(?=[\w+/-]{0,80}\d)[\w+/-]{48,4096}={0,2}(?![\w+/=-])/g,
    /(?:\\x[\da-f]{2}){8,}|(?:%[\da-f]{2}){8,}|(?:&#x?[\da-f]{1,6};){8,}/g,
  ),
];
