import { Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useLocation } from 'wouter';
import { answerOf, api } from '../../../api/client.ts';
import { Confirm } from '../../../show/confirm.tsx';
import { notifyDone } from '../../../show/notify.ts';
import { templateContentQuery, templateHref } from '../template-queries.ts';
import { languageName } from './language-names.ts';
import { languagesQuery } from './language-queries.ts';

interface Given {
  readonly templateKey: string;
  readonly brand: string | undefined;
  readonly locale: string;
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Asks before a language is taken away. */
export function RemoveLanguage({ templateKey, brand, locale, opened, onClose }: Given): ReactNode {
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const name = languageName(locale);
  const remove = useMutation({
    mutationFn: () =>
      answerOf(
        api.DELETE('/templates/{key}/languages/{locale}', {
          params: { path: { key: templateKey, locale }, query: brand ? { brand } : {} },
        }),
      ),
    onSuccess: async () => {
      navigate(templateHref(templateKey, brand), { replace: true });
      notifyDone(`${name} removed`);
      queries.removeQueries({ queryKey: templateContentQuery(templateKey, { brand, locale }).queryKey });
      await queries.invalidateQueries({ queryKey: languagesQuery(templateKey, brand).queryKey });
    },
  });
  return (
    <Confirm opened={opened} onClose={onClose} title={`Remove ${name}?`} action="Remove language" isFinal mutation={remove}>
      <Text size="sm">
        Its draft is deleted, and its contacts get the next nearest language or the default. Campaigns that have already started keep it.
      </Text>
    </Confirm>
  );
}
