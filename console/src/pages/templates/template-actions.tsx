import { Menu, Modal, Text } from '@mantine/core';
import { IconAdjustments, IconCopy, IconHistory, IconTrash } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { answerOf, api } from '../../api/client.ts';
import { FormDialog } from '../../frame/form.tsx';
import { useSession } from '../../session/session.tsx';
import { Confirm } from '../../show/confirm.tsx';
import { MoreActions } from '../../show/more-actions.tsx';
import { notifyDone } from '../../show/notify.ts';
import type { Said } from './content-changes.ts';
import { languageName } from './languages/language-names.ts';
import type { TemplateLanguage } from './languages/language-queries.ts';
import { RemoveLanguage } from './languages/remove-language.tsx';
import { duplicateOf, type Edition, type MailData, TEMPLATES, type Template, type TemplateContent } from './template-queries.ts';
import { Settings } from './template-settings.tsx';
import { TemplateVersions } from './template-versions.tsx';

export type Asked = 'settings' | 'versions' | 'delete' | 'remove';

interface Given {
  readonly template: Template;
  readonly edition: Edition;
  /** Whose page it is; undefined: the default's. */
  readonly language: TemplateLanguage | undefined;
  /** What its mails say while it is on. */
  readonly sentContent: TemplateContent;
  readonly data: MailData;
  /** Which dialog is open. */
  readonly asked: Asked | undefined;
  readonly onAsk: (asked: Asked | undefined) => void;
  /** What the template came with; undefined: nothing in this language. */
  readonly firstContent: TemplateContent | undefined;
  /** Goes on editing with what a version said. */
  readonly onTake: (said: Said) => void;
}

/** What is set beside what it says, its versions, and the end of a language, or of a template of one's own. */
export function TemplateActions({ template, edition, language, firstContent, sentContent, data, asked, onAsk, onTake }: Given): ReactNode {
  const { brand, locale } = edition;
  const { may } = useSession();
  const close = (): void => onAsk(undefined);
  return (
    <>
      <MoreActions>
        <Menu.Item leftSection={<IconAdjustments size={15} />} onClick={() => onAsk('settings')}>
          Settings…
        </Menu.Item>
        {may('POST /templates') && !language ? (
          <Menu.Item leftSection={<IconCopy size={15} />} component={Link} href={duplicateOf(template.key, brand)}>
            Duplicate…
          </Menu.Item>
        ) : null}
        <Menu.Item leftSection={<IconHistory size={15} />} onClick={() => onAsk('versions')}>
          Versions…
        </Menu.Item>
        {language?.published || language?.draft ? (
          <Menu.Item color="var(--mantine-color-error)" leftSection={<IconTrash size={15} />} onClick={() => onAsk('remove')}>
            Remove {languageName(language.locale)}…
          </Menu.Item>
        ) : null}
        {template.own && !language ? (
          <Menu.Item color="var(--mantine-color-error)" leftSection={<IconTrash size={15} />} onClick={() => onAsk('delete')}>
            Delete template…
          </Menu.Item>
        ) : null}
      </MoreActions>
      <FormDialog opened={asked === 'settings'} onClose={close} title={`Settings of ${template.key}`}>
        <Settings template={template} brand={brand} sentContent={sentContent} onClose={close} />
      </FormDialog>
      <Modal
        opened={asked === 'versions'}
        onClose={close}
        title={`Versions of ${[template.key, language && languageName(language.locale)].filter(Boolean).join(', ')}`}
        size={900}
      >
        <TemplateVersions
          templateKey={template.key}
          edition={edition}
          firstContent={firstContent}
          isOwn={template.own}
          data={data}
          onTake={(said) => {
            close();
            onTake(said);
          }}
        />
      </Modal>
      <Delete template={template} opened={asked === 'delete'} onClose={close} />
      {locale ? (
        <RemoveLanguage templateKey={template.key} brand={brand} locale={locale} opened={asked === 'remove'} onClose={close} />
      ) : null}
    </>
  );
}

interface DeleteGiven {
  readonly template: Template;
  readonly opened: boolean;
  readonly onClose: () => void;
}

function Delete({ template, opened, onClose }: DeleteGiven): ReactNode {
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const remove = useMutation({
    mutationFn: () => answerOf(api.DELETE('/templates/{key}', { params: { path: { key: template.key } } })),
    onSuccess: async () => {
      navigate('/', { replace: true });
      notifyDone(`${template.key} deleted`);
      queries.removeQueries({ queryKey: [...TEMPLATES, template.key] });
      await queries.invalidateQueries({ queryKey: TEMPLATES });
    },
  });
  return (
    <Confirm
      opened={opened}
      onClose={onClose}
      title={`Delete ${template.key}?`}
      action="Delete for good"
      isFinal
      typed={template.key}
      mutation={remove}
    >
      <Text size="sm">
        Its versions and settings are deleted for all brands. Sequence steps that send it fail and continue; campaigns that have recipients
        left fail for them. There is no way back.
      </Text>
    </Confirm>
  );
}
