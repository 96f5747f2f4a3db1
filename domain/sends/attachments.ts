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
