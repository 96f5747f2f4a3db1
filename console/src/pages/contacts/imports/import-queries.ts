import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answerOf, api, type ListQuery, type Schemas } from '../../../api/client.ts';
import { upload } from '../../../api/upload.ts';

/** Where its pages lead back to. */
export const IMPORT_LIST = { to: '/imports', label: 'Imports' };

export type Import = Schemas['Import'];
export type ImportSettings = Schemas['ImportSettings'];
/** What the columns of a file would be, and its first rows. */
export type ImportColumns = Awaited<ReturnType<typeof readColumns>>;

/** All import queries begin with it. */
export const IMPORTS = ['imports'] as const;

const RUNNING_AGAIN_MS = 1_500;
const LIST_AGAIN_MS = 5_000;
const PAUSED_AGAIN_MS = 15_000;

export function importsQuery(query: ListQuery<'/imports'>) {
  return queryOptions({
    queryKey: [...IMPORTS, 'list', query],
    queryFn: ({ signal }) => answerOf(api.GET('/imports', { params: { query }, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.imports.some(({ status }) => status === 'running') ? LIST_AGAIN_MS : PAUSED_AGAIN_MS),
  });
}

export function importQuery(id: string) {
  return queryOptions({
    queryKey: [...IMPORTS, id],
    queryFn: async ({ signal }) => (await answerOf(api.GET('/imports/{id}', { params: { path: { id } }, signal }))).import,
    refetchInterval: ({ state }) =>
      state.data?.status === 'running' ? RUNNING_AGAIN_MS : state.data?.status === 'paused' ? PAUSED_AGAIN_MS : false,
  });
}

/** What the API makes of the beginning of a file. Throws Failure. */
export function readColumns(beginning: Blob, filename: string, settings: ImportSettings) {
  const form = formOf(beginning, filename, settings);
  return answerOf(api.POST('/imports/columns', { body: { file: '' }, bodySerializer: () => form }));
}

/** Uploads a file and begins to import it. Throws Failure, and the reason of the signal. */
export async function beginImport(file: File, settings: ImportSettings, how: Parameters<typeof upload>[2]): Promise<Import> {
  return (await upload<{ import: Import }>('/imports', formOf(file, file.name, settings), how)).import;
}

function formOf(file: Blob, filename: string, settings: ImportSettings): FormData {
  const form = new FormData();
  form.append('settings', JSON.stringify(settings));
  form.append('file', file, filename);
  return form;
}

const HEAD_BYTES = 64 * 1024;
const LINE_END = 0x0a;

/** The beginning of a file, to the end of a line: all of it, however large, is read by the server alone. */
export async function headOf(file: File): Promise<Blob> {
  if (file.size <= HEAD_BYTES) return file;
  const bytes = new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer());
  const end = bytes.lastIndexOf(LINE_END);
  return new Blob([end < 0 ? bytes : bytes.subarray(0, end + 1)]);
}
