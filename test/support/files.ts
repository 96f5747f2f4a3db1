import type { Reply } from './api.ts';
import type { TestProject } from './project.ts';

/** A form with one file. */
export function fileForm(bytes: Uint8Array<ArrayBuffer>, filename = 'invoice.pdf', type = 'application/pdf'): FormData {
  const form = new FormData();
  form.append('file', new Blob([bytes], { type }), filename);
  return form;
}

/** Uploads bytes; gives the answer. */
export function upload(
  project: Pick<TestProject, 'api'>,
  bytes: Uint8Array<ArrayBuffer>,
  filename?: string,
  type?: string,
): Promise<Reply> {
  return project.api.call('POST', '/files', fileForm(bytes, filename, type));
}
