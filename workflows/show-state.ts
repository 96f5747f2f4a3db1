import { defineSearchAttributeKey } from '@temporalio/common';
import { upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import { type RunState, SEARCH_ATTRIBUTES } from './contracts.ts';

const stateAttribute = defineSearchAttributeKey(SEARCH_ATTRIBUTES.state, 'KEYWORD');

/** Shows operators the state of this workflow. Only where it changes: each change is an event and a write to the list of workflows. */
export function showState(state: RunState): void {
  if (workflowInfo().searchAttributes[SEARCH_ATTRIBUTES.state]?.[0] === state) return;
  upsertSearchAttributes([{ key: stateAttribute, value: state }]);
}
