import type { ReactNode } from 'react';
import { RowName } from '../../frame/row-name.tsx';
import { type Contact, nameOf } from './contact-queries.ts';

/** The address, with the name below it if there is one. */
export function ContactName({ contact }: { readonly contact: Contact }): ReactNode {
  return <RowName name={contact.email} more={nameOf(contact)} />;
}
