import { eventually } from './eventually.ts';
import type { TestProject } from './project.ts';
import { must } from './sequences.ts';

/** What a record of an import has, as tests compare it. */
// biome-ignore lint/suspicious/noExplicitAny: tests reach into the record and compare what they find
type ShownImport = any;

type ImportSettings = Readonly<Record<string, unknown>>;

/** The form of an import. */
export function importForm(csv: string | Uint8Array<ArrayBuffer>, settings?: ImportSettings): FormData {
  const form = new FormData();
  if (settings) form.append('settings', JSON.stringify(settings));
  form.append('file', new Blob([csv], { type: 'text/csv' }), 'people.csv');
  return form;
}

/** Begins an import. */
export async function beginImport(
  project: Pick<TestProject, 'api'>,
  csv: string | Uint8Array<ArrayBuffer>,
  settings?: ImportSettings,
): Promise<ShownImport> {
  return must(await project.api.call('POST', '/imports', importForm(csv, settings)), 201).import;
}

/** Waits until an import has ended. */
export async function endOfImport(project: Pick<TestProject, 'api'>, id: string, timeoutMs = 60_000): Promise<ShownImport> {
  return eventually(
    async () => {
      const { import: shown } = must(await project.api.get(`/imports/${id}`), 200);
      return shown.ended_at !== null && shown;
    },
    { timeoutMs, everyMs: 100 },
  );
}

/** Imports a file and waits for its end. */
export async function imported(
  project: Pick<TestProject, 'api'>,
  csv: string | Uint8Array<ArrayBuffer>,
  settings?: ImportSettings,
): Promise<ShownImport> {
  return endOfImport(project, (await beginImport(project, csv, settings)).id);
}
