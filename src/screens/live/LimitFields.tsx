/** The fields of an account's spending limits. */
import { Field } from '../../components/Field.tsx';
import {
  LIMIT_HINT,
  LIMIT_LABEL,
  LIMIT_NAMES,
  type LimitName,
  type LimitsDraft,
} from './limits-draft.ts';

export function LimitFields({
  draft,
  issues,
  onChange,
}: {
  draft: LimitsDraft;
  issues: Partial<Record<LimitName, string>>;
  onChange: (next: LimitsDraft) => void;
}) {
  return (
    <div className="flex flex-col gap-4">
      {LIMIT_NAMES.map((name) => (
        <Field
          key={name}
          label={LIMIT_LABEL[name]}
          hint={LIMIT_HINT[name]}
          unit="USD"
          inputMode="decimal"
          autoComplete="off"
          value={draft[name]}
          error={issues[name]}
          onChange={(event) => {
            onChange({ ...draft, [name]: event.target.value });
          }}
        />
      ))}
    </div>
  );
}
