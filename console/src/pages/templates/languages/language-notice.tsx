import { Alert, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Time } from '../../../show/time.tsx';
import type { StoredContent } from '../template-queries.ts';
import { DefaultChanges } from './default-changes.tsx';
import { languageName } from './language-names.ts';
import { stateOf, type TemplateLanguage } from './language-queries.ts';

interface Given {
  readonly templateKey: string;
  readonly brand: string | undefined;
  readonly language: TemplateLanguage;
  /** Which default emails have; the page may have read an earlier one. */
  readonly publishedDefault: TemplateLanguage['published'];
  readonly ofDefault: StoredContent;
  readonly subjectOfDefault: string;
  /** Whether the key may do something about it. */
  readonly canChange: boolean;
}

/** That emails do not say in this language what the default says, and what to do. */
export function LanguageNotice({ language, publishedDefault, canChange, ...given }: Given): ReactNode {
  const { isOpen } = stateOf(language);
  const name = languageName(language.locale);
  if (!isOpen) return language.published || language.draft || !canChange ? null : <BuiltIn name={name} />;
  if (!language.published) {
    return (
      <Alert color="gray" role="status">
        <Text size="sm">
          {name} is not published: its contacts get the next nearest language, or the default.
          {canChange ? ' Translate it and publish it.' : ''}
        </Text>
      </Alert>
    );
  }
  return (
    <Alert color="orange" role="status" title={`${name} is behind the default`}>
      <Text size="sm">
        {publishedDefault ? (
          <>
            The default was published on <Time at={publishedDefault.created_at} isExact />
          </>
        ) : (
          'The default was published since'
        )}
        {canChange ? '; update this language and publish it.' : '.'}
      </Text>
      {publishedDefault?.version === given.ofDefault.published?.version ? (
        <DefaultChanges {...given} since={language.published.version} />
      ) : null}
    </Alert>
  );
}

/** The API tells what a built-in language says, but for its subject. */
function BuiltIn({ name }: { readonly name: string }): ReactNode {
  return (
    <Alert color="gray" role="status">
      <Text size="sm">{name} is built in. Its subject is not shown here, and stays unless you enter another.</Text>
    </Alert>
  );
}
