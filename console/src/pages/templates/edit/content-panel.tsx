import { ActionIcon, Group, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { IconArrowBackUp, IconArrowForwardUp } from '@tabler/icons-react';
import type { ReactNode, Ref } from 'react';
import type { Issue } from '../../../api/failure.ts';
import { LONGEST_SUBJECT } from '../../../api/limits.ts';
import { Panel } from '../../../frame/detail.tsx';
import { BlocksEditor } from '../blocks-editor.tsx';
import type { ContentDraft } from '../content-draft.ts';
import classes from '../templates.module.css';

interface Given {
  readonly draft: ContentDraft;
  /** The template's, or of a language that of the default, which mails have while the draft has none. */
  readonly ownSubject: string;
  readonly isOfLanguage: boolean;
  readonly issues: readonly Issue[];
  readonly warnings: readonly Issue[];
  readonly onChange: (change: Partial<ContentDraft>) => void;
  readonly firstField: Ref<HTMLInputElement>;
  /** undefined: there is nothing to take back. */
  readonly onUndo: (() => void) | undefined;
  readonly onRedo: (() => void) | undefined;
}

/** Everything that a template says: subject, preheader and blocks, or the MJML that it is written in. */
export function ContentPanel({
  draft,
  ownSubject,
  isOfLanguage,
  issues,
  warnings,
  onChange,
  firstField,
  onUndo,
  onRedo,
}: Given): ReactNode {
  const { subject, preheader, blocks, mjml } = draft;
  const isOwn = subject.trim() === '' || subject.trim() === ownSubject;
  return (
    <Panel title="Content" action={<Steps onUndo={onUndo} onRedo={onRedo} />}>
      <Stack gap="sm">
        <TextInput
          ref={firstField}
          label="Subject"
          description={isOwn ? undefined : `Leave empty to use the ${isOfLanguage ? "default's" : 'original'} subject: ${ownSubject}`}
          placeholder={ownSubject}
          maxLength={LONGEST_SUBJECT}
          value={subject}
          error={issues.find(({ path }) => path === 'subject')?.message}
          onChange={(event) => onChange({ subject: event.currentTarget.value })}
        />
        {mjml === undefined ? (
          <TextInput
            label="Preheader"
            description="Shown after the subject in the inbox"
            value={preheader}
            error={issues.find(({ path }) => path === 'content.preheader')?.message}
            onChange={(event) => onChange({ preheader: event.currentTarget.value })}
          />
        ) : null}
        <Text size="xs" c="dimmed">
          Type {'{{'} in any text to insert a variable, such as the contact's first name. Liquid works everywhere.
        </Text>
        {mjml === undefined ? (
          <BlocksEditor
            blocks={blocks}
            path="content.blocks"
            issues={issues}
            warnings={warnings}
            onChange={(changed) => onChange({ blocks: changed })}
          />
        ) : (
          <Textarea
            label="MJML"
            name="mjml"
            value={mjml}
            error={issuesOfMjml(issues)}
            onChange={(event) => onChange({ mjml: event.currentTarget.value })}
            classNames={{ input: classes.mjml }}
            autosize
            minRows={16}
            maxRows={40}
            spellCheck={false}
          />
        )}
      </Stack>
    </Panel>
  );
}

/** Each with its line, the first few. */
function issuesOfMjml(issues: readonly Issue[]): string | undefined {
  const said = issues.filter(({ path }) => path?.startsWith('content')).map(({ message }) => message);
  return said.length === 0 ? undefined : said.slice(0, MOST_ISSUES).join('\n');
}
const MOST_ISSUES = 5;

function Steps({ onUndo, onRedo }: Pick<Given, 'onUndo' | 'onRedo'>): ReactNode {
  return (
    <Group gap={0}>
      <ActionIcon size={26} disabled={!onUndo} className={classes.mover} onClick={onUndo} aria-label="Undo" title="Undo (Ctrl+Z)">
        <IconArrowBackUp size={16} />
      </ActionIcon>
      <ActionIcon size={26} disabled={!onRedo} className={classes.mover} onClick={onRedo} aria-label="Redo" title="Redo (Ctrl+Shift+Z)">
        <IconArrowForwardUp size={16} />
      </ActionIcon>
    </Group>
  );
}
