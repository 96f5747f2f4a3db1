import { Button, Stack } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { randomKey } from '../../api/random-key.ts';
import { Fact, Facts, Panel } from '../../frame/detail.tsx';
import { useForm } from '../../frame/form.tsx';
import { Page } from '../../frame/page.tsx';
import { SAVE_KEY } from '../../frame/save-key.ts';
import { capitalized } from '../../letters.ts';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { SavedMeanwhile } from '../../show/saved-meanwhile.tsx';
import { useAudienceSize } from '../campaigns/audience-count.tsx';
import { AudienceEditor } from '../campaigns/audience-editor.tsx';
import { useAudienceWords } from '../campaigns/audience-name.tsx';
import { dataOfDraft, fieldsAskedFor, mailSubjects } from '../campaigns/campaign-draft.ts';
import { CampaignPreview } from '../campaigns/campaign-preview.tsx';
import classes from '../campaigns/campaigns.module.css';
import { GoalFields } from '../campaigns/goal-fields.tsx';
import { MailEditor } from '../campaigns/mail-editor.tsx';
import { VariantsEditor } from '../campaigns/variants-editor.tsx';
import { type TemplateField, templateSchemaQuery } from '../templates/template-queries.ts';
import { type RecurringDraft, recurringChangeOf, recurringFaults, recurringInputOf } from './recurring-draft.ts';
import {
  changeRecurring,
  createRecurring,
  RECURRING,
  RECURRING_LIST,
  RecurringSavedMeanwhile,
  savedWarningsKey,
  type WholeRecurring,
} from './recurring-queries.ts';
import { RuleFields } from './rule-fields.tsx';

const FORM = 'recurring-campaign';
const NO_FIELDS: readonly TemplateField[] = [];
const PEOPLE_KEPT = 'The addresses of the list are kept and not shown. What you enter here takes their place.';

interface Given {
  /** What is changed; undefined: it is new. */
  readonly recurring: WholeRecurring | undefined;
  /** What stands in the form to begin with. */
  readonly first: RecurringDraft;
  /** Opens it anew, as it is kept. */
  readonly onAnew: () => void;
}

/** Writes a recurring campaign, or changes one. */
export function RecurringForm({ recurring, first: given, onAnew }: Given): ReactNode {
  const [first] = useState(given);
  const [draft, setDraft] = useState(first);
  const { data: schema } = useQuery({
    ...templateSchemaQuery(draft.template ?? '', draft.brand ?? undefined),
    enabled: draft.template !== null,
  });
  const known = draft.template === null ? NO_FIELDS : schema && fieldsAskedFor(schema);
  const fields = known ?? NO_FIELDS;
  const keepsPeople = recurring?.audience.mode === 'people';
  const save = useSave(recurring);
  const theirs = save.error instanceof RecurringSavedMeanwhile ? save.error.theirs : undefined;
  const error = theirs ? null : save.error;
  const submit = (version = recurring?.version): void => {
    const input = recurring ? undefined : recurringInputOf(draft, known);
    save.mutate(input ? { input } : { change: recurringChangeOf(draft, known), version: version ?? 0 });
  };
  const { props, errorOf } = useForm({
    faults: recurringFaults(draft, fields, keepsPeople),
    error,
    isPending: save.isPending,
    isUnsaved: !save.isSuccess && JSON.stringify(draft) !== JSON.stringify(first),
    isSavedByKey: recurring !== undefined,
    onSubmit: () => submit(),
  });
  const set = (part: Partial<RecurringDraft>): void => {
    setDraft({ ...draft, ...part });
    if (!theirs) save.reset();
  };
  const data = dataOfDraft(draft, fields);
  return (
    <Page
      title={recurring ? 'Change recurring campaign' : 'New recurring campaign'}
      isLong
      back={recurring ? { to: `/${recurring.id}`, label: 'Recurring campaign' } : RECURRING_LIST}
      actions={
        <Button type="submit" form={FORM} loading={save.isPending} {...(recurring ? SAVE_KEY : {})}>
          {recurring ? 'Save changes' : 'Create recurring campaign'}
        </Button>
      }
    >
      <Stack gap="md" mb={save.error ? 'md' : 0}>
        {theirs ? (
          <SavedByAnother theirs={theirs} isSaving={save.isPending} onTake={onAnew} onReplace={() => submit(theirs.version)} />
        ) : null}
        {error ? <FailureNotice error={error} /> : null}
      </Stack>
      <div className={classes.writing}>
        <form id={FORM} {...props} className={classes.written}>
          <MailEditor
            draft={draft}
            isNew={recurring === undefined}
            fields={fields}
            systemVars={schema?.systemVars ?? []}
            problemOf={errorOf}
            onChange={set}
          />
          <Audience draft={draft} peopleKept={keepsPeople ? PEOPLE_KEPT : undefined} problemOf={errorOf} onChange={set} />
          <RuleFields draft={draft} id={recurring?.id} problemOf={errorOf} onChange={set} />
          <VariantsEditor
            variants={draft.variants}
            subject={draft.subject}
            problemOf={errorOf}
            onChange={(variants) => set({ variants })}
            test={draft}
            onTest={set}
          />
          <Panel title="Goal">
            <GoalFields goal={draft} problemOf={errorOf} onChange={set} />
          </Panel>
        </form>
        <CampaignPreview template={draft.template} brand={draft.brand ?? undefined} data={data} subjects={mailSubjects(draft)} />
      </div>
    </Page>
  );
}

interface AudienceGiven {
  readonly draft: RecurringDraft;
  readonly peopleKept: string | undefined;
  readonly problemOf: (path: string) => string | undefined;
  readonly onChange: (change: Partial<RecurringDraft>) => void;
}

function Audience({ draft, peopleKept, problemOf, onChange }: AudienceGiven): ReactNode {
  const size = useAudienceSize(draft, undefined);
  return <AudienceEditor draft={draft} size={size} peopleKept={peopleKept} problemOf={problemOf} onChange={onChange} />;
}

type Saved =
  | { readonly input: NonNullable<ReturnType<typeof recurringInputOf>> }
  | { readonly input?: undefined; readonly change: ReturnType<typeof recurringChangeOf>; readonly version: number };

/** Keeps it, and goes to its page then. */
function useSave(recurring: WholeRecurring | undefined) {
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  // The same input again, after a lost answer, makes no second one.
  const made = useRef({ body: '', key: '' });
  return useMutation({
    mutationFn(saved: Saved) {
      if (saved.input === undefined) return changeRecurring(recurring?.id ?? '', saved.change, saved.version);
      const body = JSON.stringify(saved.input);
      if (made.current.body !== body) made.current = { body, key: randomKey() };
      return createRecurring(saved.input, made.current.key);
    },
    onSuccess: async ({ recurringCampaign: { id }, warnings }) => {
      queries.setQueryData(savedWarningsKey(id), warnings ?? []);
      void queries.invalidateQueries({ queryKey: RECURRING });
      navigate(`/${id}`);
    },
  });
}

interface AnotherGiven {
  readonly theirs: WholeRecurring;
  readonly isSaving: boolean;
  readonly onTake: () => void;
  readonly onReplace: () => void;
}

/** What somebody else has made of it meanwhile, and which of both is to stay. */
function SavedByAnother({ theirs, isSaving, onTake, onReplace }: AnotherGiven): ReactNode {
  const wordsOf = useAudienceWords();
  const isEnded = theirs.status === 'ended';
  return (
    <SavedMeanwhile
      title={isEnded ? 'This recurring campaign has ended' : 'Someone else changed this recurring campaign'}
      says={
        isEnded
          ? 'Your changes are not in it.'
          : `${theirs.changed_by?.name ?? 'Another key'} made the last change. Your changes are still here and not saved yet.`
      }
      theirs={{
        title: 'Their version',
        size: 'xl',
        content: (
          <Facts>
            <Fact name="Name">{theirs.name || null}</Fact>
            <Fact name="Runs">{capitalized(theirs.in_words)}</Fact>
            <Fact name="Template">{theirs.template}</Fact>
            <Fact name="Subject">{theirs.subject ?? "the template's subject"}</Fact>
            <Fact name="For">{wordsOf(theirs.audience)}</Fact>
            <Fact name="Data">{Object.keys(theirs.data).join(', ') || null}</Fact>
          </Facts>
        ),
      }}
      onTake={onTake}
      onReplace={isEnded ? undefined : onReplace}
      isSaving={isSaving}
    />
  );
}
