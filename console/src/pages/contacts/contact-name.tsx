import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { type Contact, nameOf } from './contact-queries.ts';

/** The address, with the name below it if there is one. */
export function ContactName({ contact }: { readonly contact: Contact }): ReactNode {
  const name = nameOf(contact);
  return (
    <>
      <Text inherit truncate title={contact.email}>
        {contact.email}
      </Text>
      {name ? (
        <Text size="xs" c="dimmed" fw={400} truncate>
          {name}
        </Text>
      ) : null}
    </>
  );
}
