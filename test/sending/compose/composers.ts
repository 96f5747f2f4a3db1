import { compileContent } from '../../../domain/templates/compile.ts';
import type { CompiledContent } from '../../../domain/templates/compiled-content.ts';
import type { Content } from '../../../domain/templates/content.ts';
import { parseContent } from '../../../domain/templates/parse-content.ts';
import type { Composed, ComposeRequest, ComposeTemplate } from '../../../sending/compose/compose-request.ts';
import type { ComposerOptions } from '../../../sending/compose/composer.ts';
import { BRAND, CONTACT, NOW } from '../../domain/templates/fixtures.ts';

export const SECRET_KEY = Buffer.alloc(32, 7);
export const PUBLIC_URL = 'https://mail.acme.example/below';
export const LINK_SECRET = Buffer.alloc(32, 9);

/** Options for a composer that compiles in this thread whatever has to be compiled again. */
export const OPTIONS: ComposerOptions = {
  secretKey: SECRET_KEY,
  publicUrl: PUBLIC_URL,
  authoring: {
    async compile(value) {
      const parsed = parseContent(value);
      return parsed.issues ? parsed : { content: parsed.content, compiled: await compileContent(parsed.content) };
    },
  },
  log: {
    error: (event, fields) => {
      throw new Error(`${event}: ${JSON.stringify(fields)}`);
    },
  },
};

let count = 0;

/** The blocks of a template that says no more than this. */
export const text = (source: string): readonly unknown[] => [{ type: 'text', text: source }];

/** Why a mail was not made. */
export const failure = (composed: Composed | undefined): string | undefined => (composed?.ok ? 'a mail' : composed?.message);

/** A template of these blocks, never seen before. */
export async function templateOf(blocks: readonly unknown[], preheader?: string): Promise<ComposeTemplate> {
  const parsed = parseContent({ blocks, ...(preheader && { preheader }) });
  if (parsed.issues) throw new Error(JSON.stringify(parsed.issues));
  return { id: `template-${++count}`, content: parsed.content, compiled: await compileContent(parsed.content) };
}

/** A template as it was stored, whatever an author may write today. */
export function storedTemplate(compiled: CompiledContent, content: Content = { blocks: [] }): ComposeTemplate {
  return { id: `template-${++count}`, content, compiled };
}

/** One mail of it to Ada, with a send id of its own. */
export function requestFor(template: ComposeTemplate, part: Partial<ComposeRequest> = {}): ComposeRequest {
  return {
    sendId: `0199c0de-0000-7000-8000-${String(++count).padStart(12, '0')}`,
    template,
    format: 'message',
    type: 'transactional',
    subject: 'Hello',
    from: SENDER,
    to: CONTACT.email,
    replyTo: undefined,
    brand: BRAND,
    contactJson: JSON.stringify(CONTACT),
    data: {},
    event: undefined,
    unsubscribe: undefined,
    isTracked: false,
    required: [],
    now: NOW.getTime(),
    ...part,
  };
}
const SENDER = { email: 'ann@example.com', name: 'Ann' };

/** A mail as it reads after its way, its parts decoded. */
export interface ReadMail {
  readonly header: string;
  readonly text: string;
  readonly html: string;
}

/** Reads a composed message by the letter of RFC 2045 and 2046, so that nothing is put right that is wrong. */
export function readMessage(composed: Composed | undefined): ReadMail {
  if (!composed?.ok) throw new Error(composed?.message ?? 'no mail');
  const message = Buffer.from(composed.mail.content).toString();
  if (!message.endsWith('\r\n') || /[^\r]\n|\r[^\n]/.test(message)) throw new Error('a line does not end with CRLF');
  if (/^\./m.test(message)) throw new Error('a line begins with a dot');
  const boundary = /boundary="([^"]+)"/.exec(message)![1]!;
  const [header = '', text = '', html = ''] = message.split(`--${boundary}`);
  return { header, text: decoded(text), html: decoded(html) };
}

function decoded(part: string): string {
  const start = part.indexOf('\r\n\r\n') + 4;
  const content = part.slice(start, part.length - 2);
  const encoding = /Content-Transfer-Encoding: (\S+)/.exec(part)![1];
  if (encoding === 'base64') return Buffer.from(content, 'base64').toString();
  if (encoding !== 'quoted-printable') throw new Error(`encoded as ${encoding}`);
  const octets = content
    .split('\r\n')
    .map((line) => {
      if (line.length > 76) throw new Error(`a line of ${line.length} characters: ${line}`);
      if (!/^(?:[\t\x20-\x3c\x3e-\x7e]|=[0-9A-F]{2})*(?:=|(?<![\t ]))$/.test(line))
        throw new Error(`not quoted-printable: ${JSON.stringify(line)}`);
      return line.endsWith('=') ? line.slice(0, -1) : `${line}\r\n`;
    })
    .join('')
    .slice(0, -2);
  return Buffer.from(
    octets.replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString();
}
