import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { asFailure, type Issue } from '../../api/failure.ts';
import { problemAt } from '../../api/issues.ts';
import { useForm } from '../../frame/form.tsx';
import { type TemplateField, templateSchemaQuery } from '../templates/template-queries.ts';
import { type CampaignDraft, campaignFaults, changeOf, dataOfDraft, fieldsAskedFor, isKeepable, problemsAfter } from './campaign-draft.ts';
import { CAMPAIGNS, campaignMadeQuery, type WholeCampaign } from './campaign-queries.ts';
import { DraftSaving, useSaving } from './draft-saving.ts';

const NO_ISSUES: readonly Issue[] = [];
const NO_FIELDS: readonly TemplateField[] = [];

export interface WritingGiven {
  /** What it is kept as; undefined: nothing of it is yet. */
  readonly whole: WholeCampaign | undefined;
  /** What stands in the form to begin with. */
  readonly first: CampaignDraft;
  /** It is for people whose addresses the key may not read. */
  readonly lacksPeople?: boolean;
  /** Told the id of a draft that was none before. */
  readonly onMade: (id: string) => void;
}

/** A campaign while it is written, and how it is kept. */
export type Writing = ReturnType<typeof useWriting>;

/** `ask`: called when a draft is to be sent, and nothing is missing. */
export function useWriting({ whole, first: given, lacksPeople = false, onMade }: WritingGiven, ask: () => void) {
  const isScheduled = whole?.campaign.status === 'scheduled';
  const [first] = useState(given);
  const [draft, setDraft] = useState(first);
  const [issues, refuse] = useState(NO_ISSUES);
  const { data: schema } = useQuery({
    ...templateSchemaQuery(draft.template ?? '', draft.brand ?? undefined),
    enabled: draft.template !== null,
  });
  const known = draft.template === null ? NO_FIELDS : schema && fieldsAskedFor(schema);
  const fields = known ?? NO_FIELDS;
  const [saving] = useState(() => new DraftSaving(whole, changeOf(first, known), onMade));
  const change = changeOf(draft, known);
  const shown = useSaving(saving, change, !isScheduled);
  const save = useSaveScheduled(saving, refuse);
  const { props, errorOf } = useForm({
    faults: campaignFaults(draft, fields, lacksPeople),
    // What goes wrong is said above the form, and by the question that follows.
    error: null,
    isPending: shown.state === 'saving' && isScheduled,
    isUnsaved: isScheduled ? shown.state !== 'saved' : ['failed', 'theirs', 'deleted'].includes(shown.state) || !isKeepable(change),
    // A draft is kept by itself, and the button sends it.
    isSavedByKey: isScheduled && shown.state !== 'saved',
    onSubmit: isScheduled ? save : ask,
  });
  const refused = shown.state === 'failed' ? (asFailure(shown.error).details.issues ?? NO_ISSUES) : NO_ISSUES;
  return {
    ...{ draft, shown, saving, change, isScheduled, fields, props, refuse },
    isKeepable: isKeepable(change),
    data: dataOfDraft(draft, fields),
    systemVars: schema?.systemVars ?? [],
    problemOf: (path: string): string | undefined => errorOf(path) ?? problemAt(issues, path) ?? problemAt(refused, path),
    set(part: Partial<CampaignDraft>): void {
      setDraft({ ...draft, ...part });
      refuse(problemsAfter(issues, part));
    },
  };
}

/** Keeps a scheduled campaign and goes back to it. */
function useSaveScheduled(saving: DraftSaving, refuse: (issues: readonly Issue[]) => void): () => void {
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  return () =>
    void saving.flush().then(
      ({ campaign: { id } }) => {
        queries.removeQueries({ queryKey: campaignMadeQuery(id).queryKey });
        navigate(`/${id}`);
        return queries.invalidateQueries({ queryKey: CAMPAIGNS });
      },
      (error: unknown) => refuse(asFailure(error).details.issues ?? []),
    );
}
