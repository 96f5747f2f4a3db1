import { crc32, deflateSync } from 'node:zlib';
import type { Reply } from './api.ts';
import { fileForm } from './files.ts';
import type { TestProject } from './project.ts';

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}

/** A PNG of one colour that any reader takes; `more` behind its end makes it another picture. */
export function png(width = 2, height = 2, more = ''): Buffer<ArrayBuffer> {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const line = Buffer.alloc(1 + width * 3, 0x60);
  line[0] = 0;
  const pixels = deflateSync(Buffer.concat(Array.from({ length: Math.min(height, 100) }, () => line)));
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    ...[chunk('IHDR', header), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))],
    Buffer.from(more),
  ]);
}

/** Uploads a picture; gives the answer. */
export function uploadImage(
  project: Pick<TestProject, 'api'>,
  bytes: Uint8Array<ArrayBuffer> = png(),
  filename = 'logo.png',
  type = 'image/png',
): Promise<Reply> {
  return project.api.call('POST', '/images', fileForm(bytes, filename, type));
}
