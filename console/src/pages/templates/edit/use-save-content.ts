import { useMutation, useQueryClient } from '@tanstack/react-query';
import { notifyDone } from '../../../show/notify.ts';
import { type ContentDraft, contentOf, subjectOf } from '../content-draft.ts';
import { languagesQuery } from '../languages/language-queries.ts';
import { type Edition, saveContent, TEMPLATES, templateContentQuery, type Versions } from '../template-queries.ts';

interface Saving {
  readonly draft: ContentDraft;
  readonly publish: boolean;
  readonly base: Versions;
  /** The subject of mails, which stays unless the draft has another. */
  readonly sent: string;
}

interface Given {
  /** Of the template. */
  readonly key: string;
  readonly edition: Edition;
  readonly ownSubject: string;
  readonly onSaved: (draft: ContentDraft, versions: Versions) => void;
}

/** Saves what a template says as its draft, or publishes it. */
export function useSaveContent({ key, edition, ownSubject, onSaved }: Given) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ draft, publish, base, sent }: Saving) =>
      saveContent(key, edition, { content: contentOf(draft), subject: subjectOf(draft, { sent, own: ownSubject }), publish, base }),
    onSuccess: async ({ version, published, publication }, { draft, base }) => {
      onSaved(draft, published ? { draft: 0, published: version } : { draft: version, published: base.published });
      notifyDone(published ? `Version ${publication} published` : 'Draft saved');
      await Promise.all([
        queries.invalidateQueries({ queryKey: templateContentQuery(key, edition).queryKey }),
        queries.invalidateQueries({ queryKey: languagesQuery(key, edition.brand).queryKey }),
        queries.invalidateQueries({ queryKey: [...TEMPLATES, key, 'schema'] }),
        queries.invalidateQueries({ queryKey: [...TEMPLATES, 'list'] }),
      ]);
    },
  });
}
