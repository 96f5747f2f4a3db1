import { AppShell, Burger, Button, Group, Menu, ScrollArea, Text } from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { IconBook2, IconChevronDown, IconDevices, IconExternalLink, IconKey, IconListCheck, IconLogout } from '@tabler/icons-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import favicon from '../../favicon.svg';
import { consolePath } from '../base.ts';
import { useArrival } from '../frame/arrival.ts';
import { askBeforeLeaving } from '../frame/leave-guard.ts';
import { LeaveQuestion } from '../frame/leave-question.tsx';
import { FIRST_STEPS, useDismissed } from '../session/dismissed.ts';
import { KeyDialog } from '../session/key-dialog.tsx';
import { type Session, useSession } from '../session/session.tsx';
import { SessionsDialog } from '../session/sessions-dialog.tsx';
import { signOutOrTell } from '../session/sign-out.ts';
import { ColorSchemeSwitch } from './color-scheme-switch.tsx';
import { outsidePages } from './commands.ts';
import { ConnectionBanner } from './connection-banner.tsx';
import { GoTo } from './go-to.tsx';
import { RateBanner } from './rate-banner.tsx';
import { SectionLinks } from './section-links.tsx';
import classes from './shell.module.css';
import { TroubleBanner } from './trouble-banner.tsx';

/** What stands around every page: the navigation, whose project it is, and whether the connection holds. */
export function Shell({ children }: { readonly children: ReactNode }): ReactNode {
  const [isOpen, { open, close }] = useDisclosure();
  const session = useSession();
  const [location] = useLocation();
  useEffect(close, [location]);
  const [opener, closer] = [useRef<HTMLButtonElement>(null), useRef<HTMLButtonElement>(null)];
  // On a phone it lies over the page, and over the button that opens it.
  useEffect(() => {
    if (isOpen) closer.current?.focus();
  }, [isOpen, closer]);
  const goBack = (): void => {
    close();
    opener.current?.focus();
  };
  useHotkeys([['Escape', () => isOpen && goBack()]]);
  useArrival(location);
  return (
    <AppShell
      layout="alt"
      header={{ height: { base: 48, sm: 0 } }}
      navbar={{ width: 232, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      transitionDuration={120}
    >
      <a className={classes.skip} href="#content">
        Skip to content
      </a>
      <AppShell.Header hiddenFrom="sm" className={classes.header}>
        <Burger ref={opener} opened={isOpen} onClick={open} size="sm" aria-label="Navigation" />
        <Text fw={600} truncate>
          {session.project.name}
        </Text>
      </AppShell.Header>
      <AppShell.Navbar className={classes.navbar} aria-label="Main" data-closed={!isOpen || undefined}>
        <Group className={classes.top} justify="space-between" wrap="nowrap">
          <ProjectMenu session={session} />
          <Burger ref={closer} opened={isOpen} onClick={goBack} size="sm" aria-label="Close navigation" hiddenFrom="sm" />
        </Group>
        <GoTo />
        <ScrollArea className={classes.links}>
          <SectionLinks />
        </ScrollArea>
        <Group className={classes.bottom} justify="space-between">
          <ColorSchemeSwitch />
          <Button
            component="a"
            href={`${consolePath}/../docs`}
            target="_blank"
            rel="noreferrer"
            variant="subtle"
            color="gray"
            size="compact-sm"
            leftSection={<IconBook2 size={16} stroke={1.6} aria-hidden />}
          >
            API docs
          </Button>
        </Group>
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1} className={classes.main}>
        <ConnectionBanner />
        <RateBanner />
        <TroubleBanner />
        {children}
        <div id="overlays" />
      </AppShell.Main>
      <LeaveQuestion />
    </AppShell>
  );
}

function ProjectMenu({ session }: { readonly session: Session }): ReactNode {
  const { project, key, may } = session;
  const [, navigate] = useLocation();
  const [areStepsHidden, setStepsHidden] = useDismissed(FIRST_STEPS);
  const [isKeyAsked, setIsKeyAsked] = useState(false);
  const [areSessionsShown, sessions] = useDisclosure();
  return (
    <>
      <Menu position="bottom-start" width="target">
        <Menu.Target>
          <button type="button" className={classes.project} aria-label={`Project ${project.name}`}>
            <img src={favicon} alt="" width={20} height={20} />
            <span className={classes.projectName}>{project.name}</span>
            <IconChevronDown size={14} aria-hidden />
          </button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>
            Project {project.slug}
            <br />
            Key {key.name ?? key.public_id}
          </Menu.Label>
          {outsidePages(session).map(({ name, href }) => (
            <Menu.Item key={href} component="a" href={href} target="_blank" rel="noreferrer" leftSection={<IconExternalLink size={15} />}>
              {name}
            </Menu.Item>
          ))}
          {areStepsHidden && may('GET /sends') ? (
            <Menu.Item
              leftSection={<IconListCheck size={15} />}
              onClick={() =>
                askBeforeLeaving(() => {
                  setStepsHidden(false);
                  navigate('/home');
                })
              }
            >
              Show first steps
            </Menu.Item>
          ) : null}
          <Menu.Item leftSection={<IconKey size={15} />} onClick={() => askBeforeLeaving(() => setIsKeyAsked(true))}>
            Use another key…
          </Menu.Item>
          <Menu.Item leftSection={<IconDevices size={15} />} onClick={sessions.open}>
            Sessions…
          </Menu.Item>
          <Menu.Item leftSection={<IconLogout size={15} />} onClick={() => askBeforeLeaving(signOutOrTell)}>
            Sign out
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <KeyDialog isOpen={isKeyAsked} onClose={() => setIsKeyAsked(false)} />
      <SessionsDialog isOpen={areSessionsShown} onClose={sessions.close} />
    </>
  );
}
