import type { NodeKind } from '../../graph/node-kinds.ts';
import { isCondition } from '../condition-field.tsx';
import type { ConfigForm } from '../config-form.ts';
import { BranchForm, fitsBranch } from './branch-form.tsx';
import { CallForm } from './call-form.tsx';
import { DelayForm } from './delay-form.tsx';
import { DigestForm, fitsDigest } from './digest-form.tsx';
import { GoalForm } from './goal-form.tsx';
import { SendForm } from './send-form.tsx';
import { SplitForm } from './split-form.tsx';
import { SubflowForm } from './subflow-form.tsx';
import { fitsThrottle, ThrottleForm } from './throttle-form.tsx';
import { fitsUpdate, UpdateContactForm } from './update-contact-form.tsx';
import { fitsWait, WaitForm } from './wait-form.tsx';

/** The forms of the kinds that have one. What a form has no field for it leaves as it is. */
export const FORMS: Readonly<Partial<Record<NodeKind, ConfigForm>>> = {
  send_email: {
    Form: SendForm,
    fits: ({ template }) => typeof template === 'string',
    fields: ['template', 'subject', 'type', 'brand', 'data'],
  },
  wait_delay: { Form: DelayForm, fits: ({ minutes }) => typeof minutes === 'number', fields: ['minutes'] },
  wait_until: { Form: WaitForm, fits: fitsWait, fields: ['event', 'condition', 'timeoutMinutes', 'time'] },
  digest: { Form: DigestForm, fits: fitsDigest, fields: ['key', 'max', 'windowMinutes', 'until'] },
  throttle: { Form: ThrottleForm, fits: fitsThrottle, fields: ['count', 'window', 'otherwise'] },
  branch: { Form: BranchForm, fits: fitsBranch, fields: ['when', 'branches'] },
  split: { Form: SplitForm, fits: ({ arms }) => Array.isArray(arms) && arms.length > 1 && arms.every(isArm), fields: ['arms'] },
  update_contact: { Form: UpdateContactForm, fits: fitsUpdate, fields: [] },
  webhook: { Form: CallForm, fits: ({ url }) => typeof url === 'string', fields: ['method', 'url', 'onError'] },
  subflow: { Form: SubflowForm, fits: ({ sequenceKey }) => typeof sequenceKey === 'string', fields: ['sequenceKey', 'mode'] },
  goal: { Form: GoalForm, fits: ({ condition }) => condition === undefined || isCondition(condition), fields: ['condition'] },
};

function isArm({ key, weight = 1 }: { readonly key?: unknown; readonly weight?: unknown }): boolean {
  return typeof key === 'string' && typeof weight === 'number';
}
