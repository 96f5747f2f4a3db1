import { Autocomplete, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { FormDialog, FormEnd, useForm } from '../../../frame/form.tsx';
import { askBeforeLeaving } from '../../../frame/leave-guard.ts';
import { FailureNotice } from '../../../show/failure-notice.tsx';
import { notifyDone } from '../../../show/notify.ts';
import { SavedMeanwhile, type StoredContent, saveContent, shownOf, type Template, templateHref } from '../template-queries.ts';
import { COMMON_LANGUAGES, languageName, languageTyped, languageWords } from './language-names.ts';
import { languagesQuery, type TemplateLanguage } from './language-queries.ts';

interface FormGiven {
  readonly template: Template;
  readonly brand: string | undefined;
  /** Those that there are. */
  readonly languages: readonly TemplateLanguage[];
  readonly ofDefault: StoredContent;
  readonly subjectOfDefault: string;
  readonly onClose: () => void;
  /** Before the page of the language is gone to. */
  readonly onAdded: () => void;
}

/** Asks which language, and begins it as a draft that says what the default says. */
export function AddLanguage({ opened, ...given }: FormGiven & { readonly opened: boolean }): ReactNode {
  return (
    <FormDialog opened={opened} onClose={given.onClose} title="Add a language">
      <Form {...given} />
    </FormDialog>
  );
}

function Form({ template: { key }, brand, languages, ofDefault, subjectOfDefault, onClose, onAdded }: FormGiven): ReactNode {
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const [text, setText] = useState('');
  const locale = languageTyped(text);
  const isThere = languages.some((language) => language.locale === locale);
  const add = useMutation({
    mutationFn: async (tag: string) => {
      const content = ofDefault.published?.content ?? shownOf(ofDefault);
      const draft = { content, subject: subjectOfDefault, publish: false, base: { draft: 0, published: 0 } };
      try {
        await saveContent(key, { brand, locale: tag }, draft);
        return `${languageName(tag)} added as a draft`;
      } catch (error) {
        if (!(error instanceof SavedMeanwhile)) throw error;
        return `Someone else has just added ${languageName(tag)}`;
      }
    },
    onSuccess: async (words, tag) => {
      await queries.invalidateQueries({ queryKey: languagesQuery(key, brand).queryKey });
      onClose();
      notifyDone(words);
      askBeforeLeaving(() => {
        onAdded();
        navigate(templateHref(key, brand, tag));
      });
    },
  });
  const { props, errorOf, close } = useForm({
    faults: {
      locale: isThere
        ? `${languageName(locale ?? null)} is already there`
        : locale
          ? undefined
          : 'Enter a language such as German or de-AT',
    },
    error: add.error,
    isPending: add.isPending,
    isUnsaved: false,
    onSubmit: () => locale && add.mutate(locale),
  });
  const offered = COMMON_LANGUAGES.filter((tag) => !languages.some((language) => language.locale === tag));
  return (
    <form {...props}>
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          It starts as a draft with the content of the default. Once it is published, contacts with this language get it.
        </Text>
        <Autocomplete
          label="Language"
          description={locale && !isThere ? describe(locale) : 'Its name, or a tag such as de-AT'}
          placeholder="German"
          required
          data-autofocus
          autoSelectOnBlur={false}
          data={offered.map(languageWords)}
          maxDropdownHeight={220}
          value={text}
          error={errorOf('locale')}
          onChange={setText}
        />
        {add.error ? <FailureNotice error={add.error} /> : null}
        <FormEnd action="Add language" isPending={add.isPending} onCancel={close} />
      </Stack>
    </form>
  );
}

/** Who gets it. */
function describe(locale: string): string {
  const { language } = new Intl.Locale(locale);
  return language === locale
    ? `${languageWords(locale)}, also for contacts with a regional variant of it`
    : `${languageWords(locale)}, for contacts with this variant only`;
}
