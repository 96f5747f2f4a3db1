import { Combobox, Kbd, Modal, Text, TextInput, useCombobox } from '@mantine/core';
import { useDebouncedValue, useDisclosure, useWindowEvent } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { askBeforeLeaving } from '../frame/leave-guard.ts';
import { campaignsQuery, nameOfCampaign } from '../pages/campaigns/campaign-queries.ts';
import { contactsQuery, nameOf } from '../pages/contacts/contact-queries.ts';
import { sectionsFor } from '../pages/index.ts';
import { sequencesQuery } from '../pages/sequences/sequence-queries.ts';
import { templatesQuery } from '../pages/templates/template-queries.ts';
import { useSession } from '../session/session.tsx';
import classes from './shell.module.css';

interface Place {
  /** Below the console. */
  readonly path: string;
  readonly name: string;
  readonly more?: string | undefined;
}

interface Kind {
  readonly title: string;
  readonly places: readonly Place[];
}

const TYPING_MS = 250;
const MOST_OF_A_KIND = 5;
const isMac = /mac|iphone|ipad/i.test(navigator.userAgent);

/** The way to any page, and to a contact, sequence, campaign or template by its name: a button, and ⌘K or Ctrl+K everywhere. "/" is the search of the page. */
export function GoTo(): ReactNode {
  const [isOpen, { open, close }] = useDisclosure();
  const [recent, setRecent] = useState<readonly Place[]>([]);
  const [, navigate] = useLocation();
  useWindowEvent('keydown', (event) => {
    // A dialog is answered first.
    if (event.defaultPrevented || document.querySelector('[role="dialog"]')) return;
    if ((event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && event.key.toLowerCase() === 'k') {
      event.preventDefault();
      open();
    } else if (event.key === '/' && !event.ctrlKey && !event.metaKey && !event.altKey && !isTyping(event.target)) {
      event.preventDefault();
      const search = document.querySelector<HTMLInputElement>('#content [role="search"] input');
      if (search) search.focus();
      else open();
    }
  });
  const go = (place: Place): void => {
    close();
    askBeforeLeaving(() => {
      setRecent([place, ...recent.filter(({ path }) => path !== place.path)].slice(0, MOST_OF_A_KIND));
      navigate(place.path);
    });
  };
  return (
    <>
      <button type="button" className={classes.goTo} onClick={open}>
        <IconSearch size={15} aria-hidden />
        <span>Go to…</span>
        <Kbd size="xs" aria-hidden>
          {isMac ? '⌘K' : 'Ctrl K'}
        </Kbd>
      </button>
      <Modal opened={isOpen} onClose={close} title="Go to" centered={false} yOffset="12vh">
        <Places recent={recent} onGo={go} onClose={close} />
      </Modal>
    </>
  );
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(input|textarea|select)$/i.test(target.tagName));
}

interface Given {
  /** Gone to before in this way, the last first. */
  readonly recent: readonly Place[];
  readonly onGo: (place: Place) => void;
  readonly onClose: () => void;
}

function Places({ recent, onGo, onClose }: Given): ReactNode {
  const [text, setText] = useState('');
  const sought = text.trim();
  const { kinds, isReading, hasFailed } = usePlaces(sought);
  const shown = (sought ? kinds : [{ title: 'Recent', places: recent }, ...kinds]).filter(({ places }) => places.length > 0);
  const places = shown.flatMap((kind) => kind.places);
  const combobox = useCombobox({ opened: true });
  const paths = places.map(({ path }) => path).join(' ');
  // The first is chosen anew when others are offered.
  useEffect(() => void combobox.selectFirstOption(), [paths]);
  const submit = (value: string): void => {
    const place = places.find(({ path }) => path === pathOf(value));
    if (place) onGo(place);
  };
  return (
    <Combobox store={combobox} onOptionSubmit={submit}>
      <Combobox.EventsTarget withExpandedAttribute>
        <TextInput
          aria-label="Page, or name"
          placeholder="A page, or the name of a contact, sequence, campaign or template"
          leftSection={<IconSearch size={15} aria-hidden />}
          data-autofocus
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          onKeyDown={({ key }) => key === 'Escape' && onClose()}
        />
      </Combobox.EventsTarget>
      <Combobox.Options aria-label="Places" className={classes.places}>
        {shown.map(({ title, places: ofKind }) => (
          <Combobox.Group key={title} label={title}>
            {ofKind.map(({ path, name, more }) => (
              <Combobox.Option key={path} value={`${title} ${path}`}>
                <Text inherit truncate>
                  {name}
                </Text>
                {more ? (
                  <Text size="xs" c="dimmed" truncate>
                    {more}
                  </Text>
                ) : null}
              </Combobox.Option>
            ))}
          </Combobox.Group>
        ))}
      </Combobox.Options>
      <Text size="sm" c="dimmed" role="status">
        {wordsFor(places.length, isReading, hasFailed)}
      </Text>
    </Combobox>
  );
}

/** The values of options differ also where a place is offered twice. */
function pathOf(value: string): string {
  return value.slice(value.indexOf('/'));
}

function wordsFor(count: number, isReading: boolean, hasFailed: boolean): string {
  if (hasFailed) return 'Not everything could be looked through.';
  if (count > 0) return '';
  return isReading ? 'Looking…' : 'Nothing has this in its name.';
}

/** What is called so, as far as the key may read it; of campaigns the newest only. */
function usePlaces(sought: string): { readonly kinds: readonly Kind[]; readonly isReading: boolean; readonly hasFailed: boolean } {
  const { may } = useSession();
  const [q] = useDebouncedValue(sought, TYPING_MS);
  const isSought = sought !== '';
  const contacts = useQuery({ ...contactsQuery({ q }), enabled: may('GET /contacts') && q !== '' });
  const sequences = useQuery({ ...sequencesQuery(), enabled: may('GET /sequences') && isSought });
  const campaigns = useQuery({ ...campaignsQuery({}), enabled: isSought });
  const templates = useQuery({ ...templatesQuery(), enabled: isSought });
  const called = (places: readonly Place[] | undefined): readonly Place[] =>
    (places ?? []).filter(({ name, more = '' }) => `${name} ${more}`.toLowerCase().includes(sought.toLowerCase()));
  const some = (title: string, places: readonly Place[] = []): Kind => ({ title, places: places.slice(0, MOST_OF_A_KIND) });
  const pages = sectionsFor(may).map(({ path, label }) => ({ path, name: label }));
  const kinds = [{ title: 'Pages', places: called(pages) }];
  if (isSought) {
    const found = q === '' ? [] : contacts.data?.contacts;
    kinds.push(
      some(
        'Contacts',
        found?.map((one) => ({ path: `/contacts/${one.id}`, name: one.email, more: nameOf(one) })),
      ),
      some('Sequences', called(sequences.data?.map(({ key, name }) => ({ path: `/sequences/${key}`, name, more: key })))),
      some('Campaigns', called(campaigns.data?.campaigns.map((one) => ({ path: `/campaigns/${one.id}`, name: nameOfCampaign(one) })))),
      some(
        'Templates',
        called(templates.data?.map(({ key, name }) => ({ path: `/templates/${encodeURIComponent(key)}`, name: name || key, more: key }))),
      ),
    );
  }
  const all = [contacts, sequences, campaigns, templates];
  return {
    kinds,
    isReading: q !== sought || all.some(({ isFetching }) => isFetching),
    hasFailed: isSought && all.some(({ isError }) => isError),
  };
}
