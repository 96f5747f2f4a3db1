import { Code } from '@mantine/core';
import type { ReactNode } from 'react';
import type { RuleDraft } from './condition-draft.ts';
import { EmailRule } from './rules/email-rule.tsx';
import { EventRule } from './rules/event-rule.tsx';
import { FieldRule } from './rules/field-rule.tsx';
import type { RuleGiven } from './rules/rule-given.ts';
import { SegmentRule } from './rules/segment-rule.tsx';

interface Given extends RuleGiven<RuleDraft> {
  /** What came with an event can be asked about. */
  readonly hasEvent: boolean;
}

/** One rule of a condition in one line. */
export function RuleEditor({ rule, onChange, hasEvent, isAsked = false, fault }: Given): ReactNode {
  switch (rule.kind) {
    case 'field':
      return <FieldRule rule={rule} onChange={onChange} hasEvent={hasEvent} isAsked={isAsked} fault={fault} />;
    case 'event':
      return <EventRule rule={rule} onChange={onChange} isAsked={isAsked} />;
    case 'email':
      return <EmailRule rule={rule} onChange={onChange} />;
    case 'segment':
      return <SegmentRule rule={rule} onChange={onChange} isAsked={isAsked} />;
    default:
      return <Code>{JSON.stringify(rule.condition)}</Code>;
  }
}
