import { unescapeHtml } from '../templates/escape.ts';

/** A file of a mail, as its row has it; its bytes are found by project and sha256. */
export interface Attachment {
  readonly filename: string;
  readonly contentType: string;
  /** What the page shows it by, as `cid:…`; it is an attachment of its own where it is absent. */
  readonly contentId?: string;
  readonly size: number;
  /** 64 hex digits. */
  readonly sha256: string;
}

export const MAX_ATTACHMENTS = 20;
export const MAX_MAIL_MB = 25;
/** Of all attachments in base64, with the content that a call brings. */
export const MAX_MAIL_OCTETS = MAX_MAIL_MB * 1024 * 1024;

/** In the order in which they stand in the mail: those that the page shows stand beside it. */
export function inMailOrder<A extends Pick<Attachment, 'contentId'>>(attachments: readonly A[]): A[] {
  return [...attachments.filter(isInline), ...attachments.filter((attachment) => !isInline(attachment))];
}

export function isInline({ contentId }: Pick<Attachment, 'contentId'>): boolean {
  return contentId !== undefined;
}

/** The length of so many octets in base64. */
export function octetsInBase64(size: number): number {
  return 4 * Math.ceil(size / 3);
}

export const MAX_CONTENT_ID_LENGTH = 200;
/** RFC 2392: what may stand behind `cid:` as it is, and between the angle brackets of a Content-ID. */
export const CONTENT_ID = /^[A-Za-z0-9][A-Za-z0-9!#$&'*+/=?^_`{|}~.@-]*$/;

/** Of a file of which nobody says what it is. */
export const ANY_TYPE = 'application/octet-stream';

/** The type under which a file is mailed: parts of `multipart/…` and `message/…` may not be in base64 (RFC 2046 5), so readers would look into them. */
export function mailedType(contentType: string): string {
  return /^(?:multipart|message)\//.test(contentType) ? ANY_TYPE : contentType;
}

const TYPES: Readonly<Record<string, string>> = {
  avif: 'image/avif',
  csv: 'text/csv',
  doc: 'application/msword',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  gif: 'image/gif',
  html: 'text/html',
  ics: 'text/calendar',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  json: 'application/json',
  md: 'text/markdown',
  mp3: 'audio/mpeg',
  mp4: 'video/mp4',
  odt: 'application/vnd.oasis.opendocument.text',
  pdf: 'application/pdf',
  png: 'image/png',
  ppt: 'application/vnd.ms-powerpoint',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  svg: 'image/svg+xml',
  txt: 'text/plain',
  vcf: 'text/vcard',
  webp: 'image/webp',
  xls: 'application/vnd.ms-excel',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  xml: 'application/xml',
  zip: 'application/zip',
};

/** That of a file whose caller does not say. */
export function typeOfName(filename: string): string {
  const extension = extensionsOf(filename).at(-1) ?? '';
  return Object.hasOwn(TYPES, extension) ? (TYPES[extension] as string) : ANY_TYPE;
}

/** Of a name that a file of this type may have; undefined for types that nobody asks for. */
export function extensionOfType(contentType: string): string | undefined {
  return Object.keys(TYPES).find((extension) => TYPES[extension] === contentType);
}

/** What mail services such as Gmail take for programs (support.google.com/mail/answer/6590), by their extensions. */
const EXECUTABLE = new Set(
  (
    'ade adp apk appx appxbundle bat cab chm cmd com cpl diagcab diagcfg diagpkg dll dmg ex ex_ exe hta img ins iso isp jar jnlp js jse lib lnk mde mjs ' +
    'msc msi msix msixbundle msp mst nsh pif ps1 reg scr sct settingcontent-ms shb sys vb vbe vbs vhd vxd wsc wsf wsh xll'
  ).split(' '),
);

/** Whether a name says that it is a program, also before another extension: `invoice.exe.pdf`, and `invoice.exe. .`, which Windows takes for one. */
export function isExecutable(filename: string): boolean {
  return extensionsOf(filename).some((extension) => EXECUTABLE.has(extension));
}

/** Soft hyphens, joiners, marks of direction and the like. */
const INVISIBLE = /\p{Cf}/gu;

/** Behind each dot, in lower case, without spaces around them and without what nobody sees. */
function extensionsOf(filename: string): string[] {
  return filename
    .normalize('NFKC')
    .replace(INVISIBLE, '')
    .toLowerCase()
    .split('.')
    .slice(1)
    .map((extension) => extension.trim())
    .filter((extension) => extension !== '');
}

/** Those that a page shows as `cid:…` and no attachment has. */
export function missingContentIds(html: string, attachments: readonly Pick<Attachment, 'contentId'>[]): string[] {
  const known = new Set(attachments.map(({ contentId }) => contentId));
  return [...new Set(shownContentIds(html))].filter((id) => !known.has(id));
}

/** What a page shows as `cid:…`, comments aside, but for those that Outlook reads. */
export function shownContentIds(html: string): string[] {
  return [...withoutComments(html).matchAll(/\bcid:([^\s"'<>)\\{}]{1,200})/gi)].map(([, id]) => decoded(id as string));
}

function withoutComments(html: string): string {
  let shown = '';
  let at = 0;
  for (let start = html.indexOf('<!--'); start !== -1; start = html.indexOf('<!--', at)) {
    const end = html.indexOf('-->', start + 4);
    if (end === -1) break;
    shown += html.slice(at, html.startsWith('<!--[if', start) ? end : start);
    at = end + 3;
  }
  return shown + html.slice(at);
}

/** Where a page may take an address from its data. */
const ADDRESS_OF_DATA = /(?:cid:|\b(?:src|srcset|background)\s*=\s*["']?\s*|url\(\s*["']?)\{[{%]/i;

/** Places of those that a page never shows, whatever its data are. */
export function unshownContentIds(html: string, attachments: readonly Pick<Attachment, 'contentId'>[]): number[] {
  // Most mails have none, and a page may be long.
  if (attachments.every(({ contentId }) => contentId == null) || ADDRESS_OF_DATA.test(html)) return [];
  const shown = new Set(shownContentIds(html));
  return [...attachments.entries()].flatMap(([place, { contentId }]) => (contentId == null || shown.has(contentId) ? [] : [place]));
}

/** Of an address in an attribute, where a quote that is written as an entity ends it too. */
function decoded(written: string): string {
  const [id = ''] = unescapeHtml(written).split(/["'<>()]/);
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}
