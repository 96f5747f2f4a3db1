/** docs/contract/files.md 15 and 16: what a picture of mails may be, and how many a project has. */
export const MAX_IMAGE_MB = 5;
export const MAX_IMAGE_BYTES = MAX_IMAGE_MB * 1024 * 1024;
/** Pixels of a side. */
export const MAX_IMAGE_SIDE = 8_000;
export const MAX_IMAGE_MEGAPIXELS = 25;
export const MOST_IMAGES = 2_000;

/** In so many of its first bytes a picture says how large it is, colour profile and thumbnail before it included. */
export const IMAGE_HEAD_BYTES = 1024 * 1024;

/** What is taken, and how its address ends. No SVG: it runs scripts, and few mail clients show it. */
export const IMAGE_EXTENSIONS = { 'image/png': 'png', 'image/jpeg': 'jpg', 'image/gif': 'gif', 'image/webp': 'webp' } as const;
export type ImageType = keyof typeof IMAGE_EXTENSIONS;

/** What the bytes of a picture say of it, whatever its name and its Content-Type say. */
export interface ImageHead {
  readonly contentType: ImageType;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
}

/** Reads the beginning of a PNG, JPEG, GIF or WebP; undefined: it is none of them. */
export function readImageHead(head: Buffer): ImageHead | undefined {
  try {
    return readPng(head) ?? readGif(head) ?? readWebp(head) ?? readJpeg(head);
  } catch (error) {
    // It ends before it says how large it is.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** What is wrong with a picture; undefined when nothing is. */
export function imageProblem(head: ImageHead | undefined): string | undefined {
  if (!head) return 'not a picture that emails can show; use PNG, JPEG, GIF or WebP';
  const { width, height } = head;
  if (width === 0 || height === 0) return 'a picture without pixels';
  if (Math.max(width, height) > MAX_IMAGE_SIDE || width * height > MAX_IMAGE_MEGAPIXELS * 1_000_000) {
    return `${width} by ${height} pixels; at most ${MAX_IMAGE_SIDE} a side and ${MAX_IMAGE_MEGAPIXELS} million in all: make it smaller`;
  }
  return undefined;
}

/** PNG 11.2.1: the first chunk is IHDR. */
function readPng(head: Buffer): ImageHead | undefined {
  if (head.toString('latin1', 0, 8) !== '\x89PNG\r\n\x1a\n' || head.toString('latin1', 12, 16) !== 'IHDR') return undefined;
  return { contentType: 'image/png', width: head.readUInt32BE(16), height: head.readUInt32BE(20) };
}

/** GIF89a 18: the logical screen. */
function readGif(head: Buffer): ImageHead | undefined {
  if (!['GIF87a', 'GIF89a'].includes(head.toString('latin1', 0, 6))) return undefined;
  return { contentType: 'image/gif', width: head.readUInt16LE(6), height: head.readUInt16LE(8) };
}

/** RFC 9649 2.5 to 2.7; RFC 6386 9.1. */
function readWebp(head: Buffer): ImageHead | undefined {
  if (head.toString('latin1', 0, 4) !== 'RIFF' || head.toString('latin1', 8, 12) !== 'WEBP') return undefined;
  const of = (width: number, height: number): ImageHead => ({ contentType: 'image/webp', width, height });
  switch (head.toString('latin1', 12, 16)) {
    case 'VP8X':
      return of(head.readUIntLE(24, 3) + 1, head.readUIntLE(27, 3) + 1);
    case 'VP8L': {
      const sizes = head.readUInt32LE(21);
      return head[20] === 0x2f ? of((sizes & 0x3fff) + 1, ((sizes >>> 14) & 0x3fff) + 1) : undefined;
    }
    case 'VP8 ':
      return head.readUIntBE(23, 3) === 0x9d012a ? of(head.readUInt16LE(26) & 0x3fff, head.readUInt16LE(28) & 0x3fff) : undefined;
    default:
      return undefined;
  }
}

/** Markers of a JPEG that begin a frame (ITU-T T.81, table B.1): C0 to CF without DHT, JPG and DAC. */
const isFrame = (marker: number): boolean => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
/** Markers that stand before a frame and say how long they are. */
const isSegment = (marker: number): boolean => marker >= 0xc0 && marker <= 0xfe && !(marker >= 0xd0 && marker <= 0xda);

function readJpeg(head: Buffer): ImageHead | undefined {
  if (head.length < 4 || head.readUInt16BE(0) !== 0xffd8) return undefined;
  for (let at = 2; ; ) {
    if (head.readUInt8(at) !== 0xff) return undefined;
    const marker = head.readUInt8(at + 1);
    if (marker === 0xff) at += 1;
    else if (isFrame(marker)) return { contentType: 'image/jpeg', width: head.readUInt16BE(at + 7), height: head.readUInt16BE(at + 5) };
    else if (isSegment(marker)) at += 2 + Math.max(2, head.readUInt16BE(at + 2));
    else return undefined;
  }
}

/** Which picture an address is of. */
export interface ImageAddress {
  readonly id: string;
  /** 64 hex digits. */
  readonly sha256: string;
}

const PREFIX = '/images/';
const PATH = /^\/images\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/([0-9a-f]{64})\.(png|jpg|gif|webp)$/;

/** Below PUBLIC_URL: the address of a picture has its hash, so what is behind it never changes. */
export function imagePath({ id, sha256 }: ImageAddress, type: ImageType): string {
  return `${PREFIX}${id}/${sha256}.${IMAGE_EXTENSIONS[type]}`;
}

/** Whether it is the path of a picture, though maybe of none that there is. */
export function isImagePath(path: string): boolean {
  return path.startsWith(PREFIX);
}

/** undefined: no picture has such a path. */
export function readImagePath(path: string): ImageAddress | undefined {
  const [, id, sha256] = PATH.exec(path) ?? [];
  return id === undefined || sha256 === undefined ? undefined : { id, sha256 };
}
