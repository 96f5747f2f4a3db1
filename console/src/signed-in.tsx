import '@mantine/notifications/styles.layer.css';
import { Notifications } from '@mantine/notifications';
import type { ReactNode } from 'react';
import { Redirect, Route, Switch } from 'wouter';
import { Allowed, NotHere } from './frame/not-here.tsx';
import { Page } from './frame/page.tsx';
import { sections, sectionsFor } from './pages/index.ts';
import { OtherKeyButton } from './session/key-dialog.tsx';
import { KeyRefused } from './session/key-refused.tsx';
import { useSession } from './session/session.tsx';
import { SectionPages } from './shell/section-pages.tsx';
import { Shell } from './shell/shell.tsx';
import { Empty } from './show/empty.tsx';

/** All that whoever is signed in sees. */
export default function SignedIn(): ReactNode {
  return (
    <>
      <Shell>
        <Sections />
      </Shell>
      <KeyRefused />
    </>
  );
}

/** What was done, or could not be, in a corner of any page. */
export function Notices(): ReactNode {
  return <Notifications position="bottom-right" limit={3} />;
}

function Sections(): ReactNode {
  const { may } = useSession();
  const first = sectionsFor(may)[0];
  return (
    <Switch>
      {sections.map((section) => (
        <Route key={section.path} path={section.path} nest>
          {section.needs ? (
            <Allowed title={section.label} {...section.needs}>
              <SectionPages section={section} />
            </Allowed>
          ) : (
            <SectionPages section={section} />
          )}
        </Route>
      ))}
      <Route path="/">{first ? <Redirect to={first.path} replace /> : <NothingAllowed />}</Route>
      <Route>
        <NotHere />
      </Route>
    </Switch>
  );
}

function NothingAllowed(): ReactNode {
  return (
    <Page title="Nothing to show">
      <Empty
        title="This key has no access to the console"
        text="Sign in with a key that has scopes such as contacts:read or sends:read."
        action={<OtherKeyButton />}
      />
    </Page>
  );
}
