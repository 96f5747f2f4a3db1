import { Alert } from '@mantine/core';
import type { ReactNode } from 'react';
import type { DomainWithRecords } from './domain-queries.ts';
import { checkWords } from './domain-words.ts';

/** What a look at DNS that was just asked for came to. */
export function CheckAnswer({ domain, onClose }: { readonly domain: DomainWithRecords; readonly onClose: () => void }): ReactNode {
  const { title, text, isGood } = checkWords(domain);
  return (
    <Alert role="status" color={isGood ? 'teal' : 'orange'} title={title} withCloseButton closeButtonLabel="Close" onClose={onClose}>
      {text}
    </Alert>
  );
}
