import { IDS, NOW } from './shown-records.ts';

const BLOCK = { type: 'button', label: 'Open your account', url: 'https://acme.example/account', align: 'center' };
const SAVED = { id: IDS.savedBlock, name: 'Button to the account', block: BLOCK, created_at: NOW, updated_at: NOW };

export const save = [{ body: { name: SAVED.name, block: BLOCK }, answer: SAVED }] as const;

export const list = [{ answer: { savedBlocks: [SAVED] } }] as const;

export const rename = [
  { params: { id: SAVED.id }, body: { name: 'To the account' }, answer: { ...SAVED, name: 'To the account' } },
] as const;

export const remove = [{ params: { id: SAVED.id }, answer: { id: SAVED.id, deleted: true } }] as const;
