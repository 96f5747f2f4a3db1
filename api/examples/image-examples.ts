import { IDS, NOW } from './shown-records.ts';

/** A GIF of one pixel, whose bytes are all of ASCII. */
const BYTES = 'GIF89a\x01\0\x01\0\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02L\x01\0;';
const SHA256 = 'c08f79affac974d0c787a60e8e07ec2434a587aa7a1aeaaf030a89792307c272';

const LOGO = {
  id: IDS.image,
  url: `https://mail.example.com/images/${IDS.image}/${SHA256}.gif`,
  filename: 'logo.gif',
  content_type: 'image/gif',
  width: 1,
  height: 1,
  size: BYTES.length,
  sha256: SHA256,
  created_at: NOW,
};

export const upload = [{ body: { file: BYTES }, answer: LOGO }] as const;

export const list = [{ query: { limit: 50 }, answer: { images: [LOGO], nextCursor: null } }] as const;

export const remove = [{ params: { id: LOGO.id }, answer: { id: LOGO.id, deleted: true } }] as const;
