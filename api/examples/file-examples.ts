import { IDS, NOW } from './shown-records.ts';

const BYTES = 'Thank you for your order.\n';

const TERMS = {
  id: IDS.file,
  filename: 'terms.txt',
  content_type: 'text/plain',
  size: BYTES.length,
  sha256: '217b8e2834ee5db4ca0e21ba569251da80c3e7552a2c02d034700a9fc5dfe8aa',
  created_at: NOW,
  expires_at: '2027-06-01T12:00:00.000Z',
};
const params = { id: TERMS.id };

export const upload = [{ body: { file: BYTES }, answer: TERMS }] as const;

export const list = [{ query: { limit: 50 }, answer: { files: [TERMS], nextCursor: null } }] as const;

export const read = [{ params, answer: TERMS }] as const;

export const content = [{ params, answer: BYTES }] as const;

export const remove = [{ params, answer: { id: TERMS.id, deleted: true } }] as const;
