import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import { MOST_CONTACTS } from '../../api/limits.ts';
import { rootUrl } from '../../base.ts';

/** How a list of people comes in, which is nothing that this page does. */
export function ManyAtOnce(): ReactNode {
  return (
    <>
      To add many at once, use the API: POST /contacts takes up to {MOST_CONTACTS.toLocaleString('en')} contacts a call.{' '}
      <Anchor href={`${rootUrl}/docs/contacts#a-list-of-people`} target="_blank" rel="noreferrer" inherit underline="always">
        How to add a list
      </Anchor>
    </>
  );
}
