import { Select } from '@mantine/core';
import { useDebouncedValue, useDisclosure } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type KeyboardEvent, type ReactNode, useRef, useState } from 'react';
import { isWholeAddress } from '../../pasted-emails.ts';
import { contactByEmailQuery, contactQuery, contactsQuery } from '../contacts/contact-queries.ts';

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

/** A contact, found by a part of the address or name, or taken by Enter behind its whole address. */
export function ContactPicker({ label, placeholder, contactId, onChange, isFirst, required, error }: Given): ReactNode {
  const [search, setSearch] = useState('');
  const [isOpen, { open, close }] = useDisclosure();
  /** The address that was taken and is nobody's. */
  const [nobody, setNobody] = useState<string>();
  const [q] = useDebouncedValue(search.trim(), TYPING_MS);
  const { data } = useQuery(contactsQuery(q ? { q } : {}));
  const { data: chosen } = useQuery({ ...contactQuery(contactId), enabled: contactId !== '' });
  const queries = useQueryClient();
  /** The arrow keys have come to one that is offered, which Enter takes. */
  const isChoosing = useRef(false);
  const found = data?.contacts.slice(0, MOST_OFFERED) ?? [];
  // The one that is chosen has its address also where the search has not found it.
  const offered = chosen && found.every(({ id }) => id !== chosen.id) ? [...found, chosen] : found;
  const take = async (email: string): Promise<void> => {
    const contact = await queries.fetchQuery(contactByEmailQuery(email)).catch(() => null);
    if (!contact) return setNobody(email);
    await queries.ensureQueryData(contactQuery(contact.id));
    close();
    onChange(contact.id);
  };
  const takeTyped = (event: KeyboardEvent<HTMLInputElement>): void => {
    const typed = search.trim();
    // The one that is taken already leaves Enter to the form.
    const isTaken = !isOpen && typed === chosen?.email;
    if (event.key.startsWith('Arrow')) isChoosing.current = true;
    if (event.key !== 'Enter' || isTaken || isChoosing.current || !isWholeAddress(typed)) return;
    event.preventDefault();
    // The list would take the option that it has marked, which is the one that was chosen before.
    event.stopPropagation();
    void take(typed);
  };
  return (
    <Select
      label={label}
      aria-label={label === undefined ? placeholder : undefined}
      placeholder={placeholder}
      size="xs"
      error={nobody !== undefined && nobody === search.trim() ? 'No contact has this email' : error}
      required={required}
      data-autofocus={isFirst}
      searchable
      clearable
      dropdownOpened={isOpen}
      onDropdownOpen={open}
      onDropdownClose={close}
      // The API has searched already.
      filter={({ options }) => options}
      searchValue={search}
      onSearchChange={(text) => {
        isChoosing.current = false;
        setSearch(text);
      }}
      onKeyDownCapture={takeTyped}
      nothingFoundMessage="No matching contacts"
      data={offered.map(({ id, email }) => ({ value: id, label: email }))}
      value={contactId || null}
      onChange={(id) => onChange(id ?? '')}
    />
  );
}
