/** The account's name here, and the limits that the signer holds every order to. */
import { useState, type FormEvent } from 'react';
import type { LiveLimits } from '../../../../contract/live-state.ts';
import { Button } from '../../../components/Button.tsx';
import { Field } from '../../../components/Field.tsx';
import { LimitFields } from '../LimitFields.tsx';
import { checkLimits, type LimitName, type LimitsDraft } from '../limits-draft.ts';
import { StepHead } from './StepHead.tsx';

const LABEL_MAX = 60;

export function LimitsStep({
  title,
  label,
  limits,
  firstWeek,
  onLabel,
  onLimits,
  onNext,
}: {
  title: string;
  label: string;
  limits: LimitsDraft;
  firstWeek: LiveLimits;
  onLabel: (label: string) => void;
  onLimits: (limits: LimitsDraft) => void;
  onNext: () => void;
}) {
  const [issues, setIssues] = useState<Partial<Record<LimitName | 'label', string>>>({});
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const checked = checkLimits(limits, firstWeek);
    const found = {
      ...(checked.ok ? {} : checked.issues),
      ...(label.trim() === '' ? { label: 'Required' } : {}),
    };
    setIssues(found);
    if (Object.keys(found).length === 0) onNext();
  };
  return (
    <form noValidate className="flex flex-col gap-4" onSubmit={submit}>
      <StepHead at={title} title="Limits" />
      <p className="text-ink-2">
        The signer refuses every order beyond these. Raising them later takes a confirmation; in the
        first week, what is above these takes effect only when the week is over.
      </p>
      <Field
        label="Name of this account"
        placeholder="Main"
        autoComplete="off"
        maxLength={LABEL_MAX}
        value={label}
        error={issues.label}
        onChange={(event) => {
          onLabel(event.target.value);
        }}
      />
      <LimitFields draft={limits} issues={issues} onChange={onLimits} />
      <Button type="submit" tone="primary" wide>
        Next: confirmation
      </Button>
    </form>
  );
}
