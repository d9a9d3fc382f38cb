/** Displays content of results, prompts and resources: text, images, audio, links, embedded resources. Never renders markup. */
import type { JsonObject } from '../../../jsonrpc/message.ts';
import { CopyButton, Icon, Tag } from './elements.tsx';
import { byteSize, count } from './format.ts';
import { JsonTree } from './json-tree.tsx';

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const isImage = (type: string): boolean => /^image\/(?:png|jpeg|gif|webp|avif|bmp)$/.test(type);
const isAudio = (type: string): boolean => /^audio\/[\w.+-]+$/.test(type);
const isBase64 = (data: string): boolean => /^[A-Za-z0-9+/\s]*={0,2}$/.test(data);
/** Longer texts are cut; the copy button copies the whole text. */
const MAX_TEXT = 200_000;

function Data({ data, type, name }: { data: string; type: string; name: string }) {
  const size = byteSize(Math.floor((data.length * 3) / 4));
  if (isImage(type) && isBase64(data))
    return (
      <figure>
        <img src={`data:${type};base64,${data}`} alt={name} />
        <figcaption class="dim">{`${type}, ${size}`}</figcaption>
      </figure>
    );
  if (isAudio(type) && isBase64(data))
    return (
      <figure>
        <audio controls src={`data:${type};base64,${data}`} aria-label={name} />
        <figcaption class="dim">{`${type}, ${size}`}</figcaption>
      </figure>
    );
  return <Bytes data={data} type={type} />;
}

/** The first bytes, as a hex dump. */
function Bytes({ data, type }: { data: string; type: string }) {
  const bytes = isBase64(data)
    ? Uint8Array.from(atob(data.replaceAll(/\s/g, '').slice(0, 684)), (c) => c.charCodeAt(0))
    : new Uint8Array();
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += 16) {
    const row = [...bytes.subarray(at, at + 16)];
    const hex = row.map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
    const letters = row.map((byte) => (byte > 31 && byte < 127 ? String.fromCharCode(byte) : '·')).join('');
    lines.push(`${at.toString(16).padStart(4, '0')}  ${hex.padEnd(47)}  ${letters}`);
  }
  return (
    <figure>
      {isBase64(data) ? <pre class="well hex">{lines.join('\n')}</pre> : <p class="dim">The data is not base64.</p>}
      <figcaption class="dim">{`${type === '' ? 'bytes' : type}, ${byteSize(Math.floor((data.length * 3) / 4))}`}</figcaption>
    </figure>
  );
}

function LongText({ value, label }: { value: string; label: string }) {
  const json = parsedJson(value);
  return (
    <div class="said-text">
      <CopyButton text={value} name={`Copy ${label}`} />
      {value === '' ? (
        <p class="dim">The text is empty.</p>
      ) : json === undefined ? (
        <>
          <pre class="said" dir="auto">
            {value.slice(0, MAX_TEXT)}
          </pre>
          {value.length > MAX_TEXT && (
            <p class="dim">{`… The first ${count(MAX_TEXT, 'character')} of ${count(value.length, 'character')}. The copy button copies all of them.`}</p>
          )}
        </>
      ) : (
        <JsonTree value={json} label={label} />
      )}
    </div>
  );
}

function parsedJson(value: string): object | undefined {
  if (!/^\s*[[{]/.test(value) || value.length > MAX_TEXT) return undefined;
  try {
    const parsed: unknown = JSON.parse(value);
    return typeof parsed === 'object' && parsed !== null ? parsed : undefined;
  } catch {
    return undefined;
  }
}

export function ContentBlock({ block }: { block: JsonObject }) {
  const type = text(block['type']);
  switch (type) {
    case 'text':
      return <LongText value={text(block['text'])} label="text" />;
    case 'image':
    case 'audio':
      return <Data data={text(block['data'])} type={text(block['mimeType'])} name={`${type} of the result`} />;
    case 'resource_link':
      return (
        <p class="facts">
          <Icon name="link" />
          <b>{text(block['title']) || text(block['name'])}</b>
          <code>{text(block['uri'])}</code>
          <span class="dim">{text(block['mimeType'])}</span>
          <span>{text(block['description'])}</span>
        </p>
      );
    case 'resource':
      return <ResourceContent content={(block['resource'] ?? {}) as JsonObject} />;
    default:
      return <JsonTree value={block} label={type === '' ? 'content' : type} />;
  }
}

/** One entry of `contents`; `isAlone` hides its URI and type. */
export function ResourceContent({ content, isAlone = false }: { content: JsonObject; isAlone?: boolean }) {
  const type = text(content['mimeType']);
  return (
    <div class="resource">
      {!isAlone && (
        <p class="facts">
          <Icon name="resources" />
          <code>{text(content['uri'])}</code>
          {type !== '' && <Tag>{type}</Tag>}
        </p>
      )}
      {typeof content['blob'] === 'string' ? (
        <Data data={content['blob']} type={type} name={text(content['uri'])} />
      ) : (
        <LongText value={text(content['text'])} label={text(content['uri'])} />
      )}
    </div>
  );
}
