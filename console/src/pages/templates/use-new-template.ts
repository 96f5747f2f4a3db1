import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { answerOf, api } from '../../api/client.ts';
import { LONGEST_NAME } from '../../api/limits.ts';
import { useForm } from '../../frame/form.tsx';
import { keyOf } from '../../frame/key-of.ts';
import { notifyDone } from '../../show/notify.ts';
import { copyLanguages, putVersion } from './languages/copy-languages.ts';
import type { TemplateLanguage } from './languages/language-queries.ts';
import { PLACEHOLDER } from './placeholder.ts';
import {
  type StoredContent,
  sentContent,
  sentSubject,
  TEMPLATES,
  type Template,
  type TemplateContent,
  type TemplateSchema,
  templateHref,
} from './template-queries.ts';
import { declared, draftsOf, type VariableDraft, variableFaults } from './variables-draft.ts';

const KEY = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

/** A template before it is made. */
export interface TemplateDraft {
  /** As typed; undefined: made of the name. */
  readonly typedKey: string | undefined;
  readonly type: Template['type'];
  readonly name: string;
  readonly description: string;
  readonly subject: string;
  readonly variables: readonly VariableDraft[];
}

const EMPTY: TemplateDraft = { typedKey: undefined, type: 'marketing', name: '', description: '', subject: '', variables: [] };

/** What a new template is made from. */
export interface CopiedTemplate {
  readonly template: Template;
  readonly brand: string | undefined;
  readonly languages: readonly TemplateLanguage[];
  readonly stored: StoredContent;
  readonly schema: TemplateSchema;
}

function draftOf({ template, stored, schema }: CopiedTemplate): TemplateDraft {
  const { key, name, description, type } = template;
  return {
    ...{ typedKey: undefined, type, name: `Copy of ${name || key}`.slice(0, LONGEST_NAME), description },
    subject: sentSubject(stored, { set: template.subject, own: schema.subject }),
    variables: draftsOf(schema.declared),
  };
}

/** What is typed of a new template, and the call that makes it. */
export function useNewTemplate(source?: CopiedTemplate) {
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const [initial] = useState(() => (source ? draftOf(source) : EMPTY));
  const [draft, setDraft] = useState(initial);
  const { typedKey, name, subject, variables } = draft;
  const key = typedKey ?? keyOf(name);
  const keyFault = key !== '' && !KEY.test(key.trim()) ? 'Use letters, digits, dots, dashes and underscores' : undefined;
  const create = useMutation({
    mutationFn: async () => {
      const made = await answerOf(api.POST('/templates', { body: bodyOf(draft, key, source && sentContent(source.stored)) }));
      if (source?.stored.draft) await putVersion(made.key, { ...source.stored.draft, publish: false });
      if (source) await copyLanguages({ ...source, key: source.template.key }, made.key);
      return made;
    },
    onSuccess: async (made) => {
      notifyDone(`${made.key} created. Nothing is sent with it until you turn it on`);
      await queries.invalidateQueries({ queryKey: TEMPLATES });
      navigate(templateHref(made.key), { replace: true });
    },
  });
  const form = useForm({
    faults: {
      name: name.trim() ? undefined : 'Enter a name',
      key: key.trim() ? keyFault : 'Enter a key',
      subject: subject.trim() ? undefined : 'Enter a subject',
      ...variableFaults(variables),
    },
    error: create.error,
    isPending: create.isPending,
    isUnsaved: draft !== initial,
    onSubmit: create.mutate,
  });
  return { draft, key, keyFault, create, form, set: (changed: Partial<TemplateDraft>) => setDraft((now) => ({ ...now, ...changed })) };
}

/** With that content, or a heading and a text to begin with. */
function bodyOf({ type, name, description, subject, variables }: TemplateDraft, key: string, content?: TemplateContent) {
  return {
    ...{ key: key.trim(), type, name: name.trim(), subject },
    ...(description.trim() ? { description: description.trim() } : {}),
    ...(variables.length > 0 ? { dataSchema: declared(variables) } : {}),
    content: content ?? {
      blocks: [
        { type: 'heading' as const, text: name.trim() },
        { type: 'text' as const, text: PLACEHOLDER },
      ],
    },
  };
}
