import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { contactQuery, contactsQuery } from '../contacts/contact-queries.ts';

const TYPING_MS = 250;
const MOST_OFFERED = 20;

interface Given {
  /** undefined: the placeholder says it. */
  readonly label: string | undefined;
  readonly placeholder: string;
  /** '' for none. */
  readonly contactId: string;
  readonly onChange: (contactId: string) => void;
  /** Takes the focus in a dialog. */
  readonly isFirst?: boolean;
  readonly required?: boolean;
  readonly error?: ReactNode;
}

/** A contact, found by a part of the address or name. */
export function ContactPicker({ label, placeholder, contactId, onChange, isFirst, required, error }: Given): ReactNode {
  const [search, setSearch] = useState('');
  const [q] = useDebouncedValue(search.trim(), TYPING_MS);
  const { data } = useQuery(contactsQuery(q ? { q } : {}));
  const { data: chosen } = useQuery({ ...contactQuery(contactId), enabled: contactId !== '' });
  const found = data?.contacts.slice(0, MOST_OFFERED) ?? [];
  // The one that is chosen has its address also where the search has not found it.
  const offered = chosen && found.every(({ id }) => id !== chosen.id) ? [...found, chosen] : found;
  return (
    <Select
      label={label}
      aria-label={label === undefined ? placeholder : undefined}
      placeholder={placeholder}
      size="xs"
      error={error}
      required={required}
      data-autofocus={isFirst}
      searchable
      clearable
      // The API has searched already.
      filter={({ options }) => options}
      searchValue={search}
      onSearchChange={setSearch}
      nothingFoundMessage="No matching contacts"
      data={offered.map(({ id, email }) => ({ value: id, label: email }))}
      value={contactId || null}
      onChange={(id) => onChange(id ?? '')}
    />
  );
}
