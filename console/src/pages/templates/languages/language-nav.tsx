import { Button, Group, Switch } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { useSession } from '../../../session/session.tsx';
import { Status } from '../../../show/status.tsx';
import { type StoredContent, type Template, templateHref } from '../template-queries.ts';
import { AddLanguage } from './add-language.tsx';
import { languageName } from './language-names.ts';
import { stateOf, type TemplateLanguage } from './language-queries.ts';
import classes from './languages.module.css';

/** Whether the page that comes next is that of a language that was chosen here, where the keyboard goes on. */
let isFollowed = false;

interface Given {
  readonly template: Template;
  readonly brand: string | undefined;
  readonly languages: readonly TemplateLanguage[];
  /** Which one is shown; undefined: the default. */
  readonly locale: string | undefined;
  /** What a new language begins with. */
  readonly ofDefault: StoredContent;
  readonly subjectOfDefault: string;
  /** Shows the default beside a language; undefined: it is not offered. */
  readonly beside: { readonly isShown: boolean; readonly onChange: (isShown: boolean) => void } | undefined;
}

/** Leads to each language of a template, and says which of them somebody has to look at. */
export function LanguageNav({ template, brand, languages, locale, ofDefault, subjectOfDefault, beside }: Given): ReactNode {
  const { may } = useSession();
  const [isAdding, setIsAdding] = useState(false);
  const current = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    if (isFollowed && document.activeElement === document.body) current.current?.focus({ preventScroll: true });
    isFollowed = false;
  }, []);
  const follow = (): void => {
    isFollowed = true;
  };
  const canAdd = may('PUT /templates/{key}/content');
  if (languages.length < 2 && !canAdd) return null;
  return (
    <Group gap="xs" justify="space-between">
      <Group gap={6}>
        {languages.length < 2 ? null : (
          <nav aria-label="Languages">
            <ul className={classes.languages}>
              {languages.map((language) => {
                const isCurrent = language.locale === (locale ?? null);
                const { word, tone, isOpen } = stateOf(language);
                return (
                  <li key={language.locale ?? ''}>
                    <Link
                      ref={isCurrent ? current : undefined}
                      href={templateHref(template.key, brand, language.locale)}
                      className={classes.language}
                      aria-current={isCurrent ? 'page' : undefined}
                      title={language.locale ?? undefined}
                      onClick={follow}
                    >
                      {languageName(language.locale)}
                      {isOpen ? <Status value={word} tone={tone} /> : null}
                    </Link>
                  </li>
                );
              })}
            </ul>
          </nav>
        )}
        {canAdd ? (
          <Button variant="subtle" size="compact-sm" leftSection={<IconPlus size={14} />} onClick={() => setIsAdding(true)}>
            Add language…
          </Button>
        ) : null}
      </Group>
      {beside ? (
        <Switch
          size="xs"
          className={classes.besideSwitch}
          label="Show default beside"
          checked={beside.isShown}
          onChange={(event) => beside.onChange(event.currentTarget.checked)}
        />
      ) : null}
      {canAdd ? (
        <AddLanguage
          {...{ template, brand, languages, ofDefault, subjectOfDefault }}
          opened={isAdding}
          onClose={() => setIsAdding(false)}
          onAdded={follow}
        />
      ) : null}
    </Group>
  );
}
