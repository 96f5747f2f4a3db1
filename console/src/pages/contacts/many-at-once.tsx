import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { rootUrl } from '../../base.ts';

/** How a list of people comes in. */
export function ManyAtOnce(): ReactNode {
  return (
    <>
      To add many at once,{' '}
      <Anchor component={Link} href="/imports/new" inherit underline="always">
        import a CSV file
      </Anchor>
      , or use the API.{' '}
      <Anchor href={`${rootUrl}/docs/contacts#a-list-of-people`} target="_blank" rel="noreferrer" inherit underline="always">
        How to add a list
      </Anchor>
    </>
  );
}
