/** A new support request: topic, text and, by consent, app details. */
import { useState, type FormEvent } from 'react';
import { useSnapshot } from 'valtio';
import {
  SUPPORT_TEXT_MAX,
  type SupportCategory,
  type SupportDiagnostics,
  type SupportRequests,
} from '../../../contract/support.ts';
import { callFunction } from '../../callables/call-function.ts';
import { Button } from '../../components/Button.tsx';
import { Select, TextAreaField } from '../../components/Field.tsx';
import { Line, Section } from '../../components/Section.tsx';
import { Switch } from '../../components/Switch.tsx';
import { errorSentence } from '../../format/error-text.ts';
import { session } from '../../identity/session.ts';
import { connection } from '../../stores/connection.ts';
import { pageToast } from '../../stores/toast-store.ts';
import { diagnosticLines } from './diagnostics.ts';
import { requestDraft, type Draft } from './support-draft.ts';
import { useDraft, type KeptDraft, type Place } from './use-draft.ts';

export const CATEGORY_LABEL: Record<SupportCategory, string> = {
  agents: 'Agents and trading',
  portfolio: 'Portfolio and figures',
  billing: 'Plan and payments',
  'sign-in': 'Login and security',
  app: 'App',
  other: 'Something else',
};
const OPTIONS = [
  { value: '', label: 'Choose…', disabled: true },
  ...Object.entries(CATEGORY_LABEL).map(([value, label]) => ({ value, label })),
];

function Facts({ facts }: { facts: SupportDiagnostics }) {
  return (
    <details className="rule">
      <summary className="row flex cursor-pointer items-center text-ink-2">
        Data that will be sent
      </summary>
      <dl>
        {diagnosticLines(facts).map(([term, value]) => (
          <Line key={term} term={term}>
            <span className="text-xs break-words text-ink-2">{value}</span>
          </Line>
        ))}
      </dl>
    </details>
  );
}

interface ComposeErrors {
  category?: string;
  text?: string;
  form?: string;
}

function textErrorOf(text: string): string | undefined {
  if (text.trim() === '') return 'Required';
  return text.length > SUPPORT_TEXT_MAX ? `At most ${SUPPORT_TEXT_MAX} characters` : undefined;
}

function errorsIn({ category, text }: Draft): ComposeErrors {
  const textError = textErrorOf(text);
  return {
    ...(category === '' ? { category: 'Choose a topic' } : {}),
    ...(textError === undefined ? {} : { text: textError }),
  };
}

const SAVED: Record<Place, string> = {
  device: ' Your text is saved.',
  tab: ' Your text is kept in this tab.',
  nowhere: '',
};

export function textHint(text: string, place: Place): string {
  const left = SUPPORT_TEXT_MAX - text.length;
  if (left < 200) return `${left} characters left.`;
  if (text === '' || place === 'nowhere')
    return 'Never share your password. We will not ask for it.';
  return place === 'device' ? 'Saved on this device until sent.' : 'Kept in this tab until sent.';
}

function offlineText(place: Place, begun: boolean): string {
  if (place === 'nowhere') return '';
  const kept = place === 'device' ? 'saved on this device' : 'kept in this tab';
  return begun
    ? ` Your text is ${kept}. Send it when you’re online.`
    : ` Your text is ${kept} as you write.`;
}

/** Sends the draft, and keeps it if that fails. */
function useRequest(
  { draft, deliver }: KeptDraft<Draft>,
  diagnostics: SupportDiagnostics | null,
  onSent: (reply: SupportRequests) => void,
) {
  const [errors, setErrors] = useState<ComposeErrors>({});
  const [busy, setBusy] = useState(false);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const found = errorsIn(draft);
    setErrors(found);
    const { category } = draft;
    if (Object.keys(found).length > 0 || category === '') return;
    setBusy(true);
    deliver(({ id, text }) =>
      callFunction('openSupportRequest', { id, category, text, diagnostics }),
    )
      .then(
        (reply) => {
          onSent(reply);
          pageToast('success', 'Request received.');
        },
        (error: unknown) => {
          setErrors({ form: errorSentence(error) });
        },
      )
      .finally(() => {
        setBusy(false);
      });
  };
  return { errors, busy, submit };
}

/** Why it cannot be sent or saved. */
export function Notices({
  place,
  error,
  isOffline,
  begun,
}: {
  place: Place;
  error: string | undefined;
  isOffline: boolean;
  begun: boolean;
}) {
  return (
    <>
      {place === 'nowhere' && (
        <p role="alert" className="text-amber">
          This browser is out of storage and cannot save your text. Send it before you leave.
        </p>
      )}
      {error !== undefined && (
        <p role="alert" className="text-danger">
          {error}
          {begun && SAVED[place]}
        </p>
      )}
      {isOffline && (
        <p role="status" className="text-amber">
          You're offline. You can't send this now.
          {offlineText(place, begun)}
        </p>
      )}
    </>
  );
}

export function Compose({
  facts,
  priority,
  onSent,
}: {
  facts: () => SupportDiagnostics;
  priority: boolean;
  onSent: (reply: SupportRequests) => void;
}) {
  const uid = useSnapshot(session).user?.uid ?? '';
  const { online } = useSnapshot(connection);
  const kept = useDraft(requestDraft(uid));
  const { draft, change } = kept;
  const [withFacts, setWithFacts] = useState(false);
  const [shown, setShown] = useState<SupportDiagnostics | null>(null);
  const { errors, busy, submit } = useRequest(kept, withFacts ? shown : null, (reply) => {
    setWithFacts(false);
    onSent(reply);
  });
  return (
    <Section title="New request" aside={priority ? 'Priority support' : undefined}>
      <form noValidate className="rule flex flex-col gap-4 pt-4" onSubmit={submit}>
        <Select
          label="Topic"
          options={OPTIONS}
          value={draft.category}
          error={errors.category}
          onChange={(event) => {
            change({ category: event.target.value as SupportCategory });
          }}
        />
        <TextAreaField
          label="What happened, and what did you expect?"
          rows={6}
          value={draft.text}
          error={errors.text}
          onChange={(event) => {
            change({ text: event.target.value });
          }}
          hint={textHint(draft.text, kept.place)}
        />
        <div>
          <Switch
            label="Include app details"
            checked={withFacts}
            onChange={(on) => {
              setWithFacts(on);
              setShown(on ? facts() : null);
            }}
            hint="Version, browser and recent errors. No addresses, tokens or amounts."
          />
          {shown !== null && <Facts facts={shown} />}
        </div>
        <Notices
          place={kept.place}
          error={errors.form}
          isOffline={online === 'offline'}
          begun={draft.text !== ''}
        />
        <div>
          <Button type="submit" tone="primary" busy={busy} disabled={online === 'offline'}>
            Send
          </Button>
        </div>
      </form>
    </Section>
  );
}
