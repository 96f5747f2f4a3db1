import { Combobox, Kbd, Modal, Text, TextInput, useCombobox } from '@mantine/core';
import { useDebouncedValue, useDisclosure, useWindowEvent } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useCallback, useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { askBeforeLeaving } from '../frame/leave-guard.ts';
import { useCampaignNames } from '../pages/campaigns/campaign-name.ts';
import { campaignsQuery } from '../pages/campaigns/campaign-queries.ts';
import { contactsQuery, nameOf } from '../pages/contacts/contact-queries.ts';
import { sectionsFor } from '../pages/index.ts';
import { sequencesQuery } from '../pages/sequences/sequence-queries.ts';
import { duplicateOf, templatesQuery } from '../pages/templates/template-queries.ts';
import { useSession } from '../session/session.tsx';
import { type Choice, type Commanded, useCommands } from './commands.ts';
import classes from './shell.module.css';
import { isMac, Shortcuts } from './shortcuts.tsx';

interface Kind {
  readonly title: string;
  readonly choices: readonly Choice[];
}

const AskedElsewhere = lazy(() => import('../pages/sequences/asked-elsewhere.tsx'));

const TYPING_MS = 250;
const MOST_OF_A_KIND = 5;

/**
 * The way to any page, to a contact, sequence, campaign or template by its name, and to what can be done from everywhere: a button, and ⌘K or
 * Ctrl+K. "/" is the search of the page, "?" tells of all these.
 */
export function GoTo(): ReactNode {
  /** Whether the focus goes back to where it was, rather than to the page that was gone to. */
  const [isBack, setIsBack] = useState(true);
  const [isOpen, { open, close }] = useDisclosure(false, { onOpen: () => setIsBack(true) });
  const [areShortcutsShown, shortcuts] = useDisclosure();
  const [recent, setRecent] = useState<readonly Choice[]>([]);
  /** The key of the sequence that is to be paused or to go on. */
  const [turned, setTurned] = useState<string>();
  const answered = useCallback(() => setTurned(undefined), []);
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
    } else if (event.key === '?' && !event.ctrlKey && !event.metaKey && !event.altKey && !isTyping(event.target)) {
      event.preventDefault();
      shortcuts.open();
    }
  });
  const choose = (choice: Choice): void => {
    close();
    const { path, act } = choice;
    if (act) act();
    if (path === undefined) return;
    askBeforeLeaving(() => {
      setRecent([choice, ...recent.filter((one) => one.path !== path)].slice(0, MOST_OF_A_KIND));
      setIsBack(false);
      navigate(path);
      document.getElementById('content')?.focus({ preventScroll: true });
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
      <Modal opened={isOpen} onClose={close} returnFocus={isBack} title="Go to" centered={false} yOffset="12vh">
        <Choices recent={recent} onChoose={choose} onShortcuts={shortcuts.open} onTurn={setTurned} onClose={close} />
      </Modal>
      <Shortcuts opened={areShortcutsShown} onClose={shortcuts.close} />
      {turned === undefined ? null : (
        <Suspense>
          <AskedElsewhere key={turned} sequence={turned} onClose={answered} />
        </Suspense>
      )}
    </>
  );
}

/** Nothing is typed into these. */
const PRESSED = ['radio', 'checkbox', 'button', 'submit', 'range', 'color', 'file'];

function isTyping(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement) return !PRESSED.includes(target.type);
  return target instanceof HTMLElement && (target.isContentEditable || /^(textarea|select)$/i.test(target.tagName));
}

interface Given extends Pick<Commanded, 'onShortcuts' | 'onTurn'> {
  /** Gone to before in this way, the last first. */
  readonly recent: readonly Choice[];
  readonly onChoose: (choice: Choice) => void;
  readonly onClose: () => void;
}

function Choices({ recent, onChoose, onShortcuts, onTurn, onClose }: Given): ReactNode {
  const [text, setText] = useState('');
  const sought = text.trim();
  const { kinds, isReading, hasFailed } = useChoices(sought, { onShortcuts, onTurn });
  const shown = (sought ? kinds : [{ title: 'Recent', choices: recent }, ...kinds]).filter(({ choices }) => choices.length > 0);
  const values = shown.flatMap(({ title, choices }) => choices.map(({ id }) => optionValue(title, id)));
  const combobox = useCombobox({ opened: true });
  // The first is chosen anew when others are offered.
  useEffect(() => void combobox.selectFirstOption(), [values.join('\n')]);
  const submit = (value: string): void => {
    const choice = shown.flatMap(({ title, choices }) => choices.filter(({ id }) => optionValue(title, id) === value))[0];
    if (choice) onChoose(choice);
  };
  return (
    <Combobox store={combobox} onOptionSubmit={submit}>
      <Combobox.EventsTarget withExpandedAttribute>
        <TextInput
          aria-label="Page, name or action"
          placeholder="Find a page, a name or an action such as “new campaign”"
          leftSection={<IconSearch size={15} aria-hidden />}
          data-autofocus
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          onKeyDown={({ key }) => key === 'Escape' && onClose()}
        />
      </Combobox.EventsTarget>
      <Combobox.Options aria-label="Pages and actions" className={classes.places}>
        {shown.map(({ title, choices }) => (
          <Combobox.Group key={title} label={title}>
            {choices.map(({ id, name, more }) => (
              <Combobox.Option key={id} value={optionValue(title, id)}>
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
        {wordsFor(values.length, isReading, hasFailed)}
      </Text>
    </Combobox>
  );
}

/** They differ also where a place is offered twice. */
function optionValue(title: string, id: string): string {
  return `${title} ${id}`;
}

function wordsFor(count: number, isReading: boolean, hasFailed: boolean): string {
  if (hasFailed) return 'Some results could not be loaded.';
  if (count > 0) return '';
  return isReading ? 'Searching…' : 'No matches.';
}

/** What is called so, as far as the key may read it; of campaigns the newest only. */
function useChoices(
  sought: string,
  asking: Pick<Commanded, 'onShortcuts' | 'onTurn'>,
): { readonly kinds: readonly Kind[]; readonly isReading: boolean; readonly hasFailed: boolean } {
  const { may } = useSession();
  const [q] = useDebouncedValue(sought, TYPING_MS);
  const isSought = sought !== '';
  const contacts = useQuery({ ...contactsQuery({ q }), enabled: may('GET /contacts') && q !== '' });
  const sequences = useQuery({ ...sequencesQuery(), enabled: may('GET /sequences') && isSought });
  const campaigns = useQuery({ ...campaignsQuery({}), enabled: may('GET /campaigns') && isSought });
  const templates = useQuery({ ...templatesQuery(), enabled: may('GET /templates') && isSought });
  const campaignName = useCampaignNames(campaigns.data?.campaigns);
  const commands = useCommands({
    campaigns: isSought ? (campaigns.data?.campaigns ?? []) : [],
    sequences: isSought ? (sequences.data ?? []) : [],
    ...asking,
  });
  const called = (choices: readonly Choice[] | undefined): readonly Choice[] =>
    (choices ?? []).filter(({ name, more = '' }) => `${name} ${more}`.toLowerCase().includes(sought.toLowerCase()));
  const some = (title: string, choices: readonly Choice[] = []): Kind => ({ title, choices: choices.slice(0, MOST_OF_A_KIND) });
  const pages = sectionsFor(may).map(({ path, label }) => place(path, label));
  const kinds: Kind[] = [{ title: 'Pages', choices: called(pages) }];
  if (isSought) {
    const found = q === '' ? [] : contacts.data?.contacts;
    kinds.push(
      some(
        'Contacts',
        found?.map((one) => place(`/contacts/${one.id}`, one.email, nameOf(one))),
      ),
      some('Sequences', called(sequences.data?.map(({ key, name }) => place(`/sequences/${key}`, name, key)))),
      some('Campaigns', called(campaigns.data?.campaigns.map((one) => place(`/campaigns/${one.id}`, campaignName(one))))),
      some('Templates', called(templates.data?.map(({ key, name }) => place(`/templates/${encodeURIComponent(key)}`, name || key, key)))),
    );
  }
  const copies = may('POST /templates')
    ? called(templates.data?.map(({ key, name }) => place(`/templates${duplicateOf(key)}`, `Duplicate ${name || key}…`, key)))
    : [];
  kinds.push({ title: 'Do', choices: [...called(commands), ...copies.slice(0, MOST_OF_A_KIND)] });
  const all = [contacts, sequences, campaigns, templates];
  return {
    kinds,
    isReading: q !== sought || all.some(({ isFetching }) => isFetching),
    hasFailed: isSought && all.some(({ isError }) => isError),
  };
}

function place(path: string, name: string, more?: string): Choice {
  return { id: path, path, name, more };
}
