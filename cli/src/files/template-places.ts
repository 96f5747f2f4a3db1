import type { Issue } from '../api.ts';
import { readContents } from './content-files.ts';
import type { Folder } from './folder.ts';
import { markdownSpots } from './markdown-content.ts';
import { type Placed, pathParts, placed, type Source } from './places.ts';
import { headFile, templateFolder } from './template-files.ts';
import { yamlSpots } from './yaml-text.ts';

/** What the server says of a template, each with the file and line that it is about. */
export async function placedInTemplate(folder: Folder, key: string, issues: readonly Issue[]): Promise<Placed[]> {
  const at = templateFolder(key);
  const headPath = (await headFile(folder, at)) ?? `${at}/template.yaml`;
  const head: Source = { file: folder.named(headPath), spotOf: yamlSpots((await folder.read(headPath)) ?? '') };
  const contents = new Map<string | null, Source>();
  for (const { path, locale, format } of await readContents(folder, at)) {
    const text = (await folder.read(path)) ?? '';
    const spotOf = format === 'mjml' ? spotInMjml : format === 'md' ? markdownSpots(text) : yamlSpots(text);
    contents.set(locale, { file: folder.named(path), spotOf });
  }
  return issues.map((issue) => {
    const path = pathParts(issue.path ?? '');
    const [first, tag, second] = path;
    const ofDefault = contents.get(null);
    if (first === 'content' && ofDefault) return placed(issue, ofDefault, path.slice(1));
    const ofLanguage = first === 'languages' && second !== 'subject' ? contents.get(String(tag)) : undefined;
    return ofLanguage ? placed(issue, ofLanguage, path.slice(3)) : placed(issue, head, path);
  });
}

/** The file is the text of `mjml`. */
const spotInMjml: Source['spotOf'] = (_, within) => ({
  line: within,
  isWithin: within !== undefined,
  name: '',
});
