import type { QueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Route, Switch } from 'wouter';
import { Allowed, NotHere } from '../../frame/not-here.tsx';
import { ContactList } from './contact-list.tsx';
import { ContactPage } from './contact-page.tsx';
import { CONTACT_LIST, contactsQuery } from './contact-queries.ts';
import { EditContact } from './edit-contact.tsx';
import { ImportList } from './imports/import-list.tsx';
import { ImportPage } from './imports/import-page.tsx';
import { IMPORT_LIST } from './imports/import-queries.ts';
import { NewImport } from './imports/new-import.tsx';
import { NewContact } from './new-contact.tsx';

export function prefetch(queries: QueryClient): void {
  void queries.prefetchQuery(contactsQuery({}));
}

export default function ContactsSection(): ReactNode {
  return (
    <Switch>
      <Route path="/">
        <ContactList />
      </Route>
      <Route path="/new">
        <Allowed title="New contact" back={CONTACT_LIST} deed="add contacts" operation="POST /contacts">
          <NewContact />
        </Allowed>
      </Route>
      <Route path="/imports">
        <ImportList />
      </Route>
      <Route path="/imports/new">
        <Allowed title="Import contacts" back={IMPORT_LIST} deed="import contacts" operation="POST /imports">
          <NewImport />
        </Allowed>
      </Route>
      <Route path="/imports/:id">{({ id }) => <ImportPage key={id} id={id} />}</Route>
      <Route path="/:id/edit">
        {({ id }) => (
          <Allowed title="Edit contact" back={{ to: `/${id}`, label: 'Contact' }} deed="change contacts" operation="POST /contacts">
            <EditContact key={id} id={id} />
          </Allowed>
        )}
      </Route>
      <Route path="/:id">{({ id }) => <ContactPage key={id} id={id} />}</Route>
      <Route>
        <NotHere />
      </Route>
    </Switch>
  );
}
