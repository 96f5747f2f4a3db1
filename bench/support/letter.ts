import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** For TEMPLATES_DIR. */
export const LETTERS_DIR = fileURLToPath(new URL('../letter', import.meta.url));
/** The template that the benches send. Its one variable is `name`. */
export const LETTER = 'bench-letter';

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly label?: string;
  readonly url?: string;
}

/** How a peer's template language writes what differs between recipients. */
export interface PeerSyntax {
  readonly name: string;
  readonly link: (url: string) => string;
  /** The open pixel; "" without tracking. */
  readonly open: string;
  readonly unsubscribe: string;
}

export interface PeerLetter {
  readonly subject: string;
  readonly html: string;
}

const { content, subject } = JSON.parse(readFileSync(`${LETTERS_DIR}/letter.json`, 'utf8')) as {
  subject: string;
  content: { blocks: readonly Block[] };
};
const PARAGRAPHS = content.blocks.filter(({ type }) => type === 'text').map(({ text = '' }) => text);

/** The characters of all paragraphs as they are. */
export const LETTER_TEXT_LENGTH = PARAGRAPHS.join('').length;

/** The letter as a peer's template, its paragraphs repeated or cut so that they have `textLength` characters together. */
export function peerLetter(textLength: number, syntax: PeerSyntax): PeerLetter {
  const each = Math.max(1, Math.round(textLength / PARAGRAPHS.length));
  const html = content.blocks.map((block) => blockHtml(block, each, syntax)).join('\n');
  return {
    subject: withName(subject, syntax),
    html: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>News of the month</title>
<style>
body{margin:0;padding:0;background:#f4f4f7;font-family:Helvetica,Arial,sans-serif;color:#333}
.card{max-width:600px;margin:0 auto;background:#fff;border-radius:6px;padding:32px}
.button{display:inline-block;background:#2f6fed;color:#fff;padding:12px 22px;border-radius:4px;text-decoration:none}
</style>
</head>
<body>
<div class="card">
${html}
<p style="font-size:12px;color:#888">The Bench, 1 Bench Street, Testville<br><a href="${syntax.unsubscribe}">Unsubscribe</a></p>
</div>
${syntax.open}
</body>
</html>
`,
  };
}

function blockHtml({ type, text = '', label = '', url = '' }: Block, textLength: number, syntax: PeerSyntax): string {
  if (type === 'heading') return `<h1 style="font-size:22px;margin:0 0 16px">${withName(text, syntax)}</h1>`;
  if (type === 'button') return `<p style="text-align:center"><a class="button" href="${syntax.link(url)}">${label}</a></p>`;
  const filled = `${text} `.repeat(Math.ceil(textLength / (text.length + 1))).slice(0, textLength);
  return `<p style="font-size:15px;line-height:1.6;margin:0 0 16px">${filled}</p>`;
}

function withName(text: string, { name }: PeerSyntax): string {
  return text.replaceAll('{{ name }}', name);
}
