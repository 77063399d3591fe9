/**
 * How to create a key, and where to paste it. It is kept in this form alone: no draft, no store, no
 * address, and the fields tell the browser not to keep it either.
 */
import { useState, type FormEvent } from 'react';
import { useSnapshot } from 'valtio';
import { KEY_ADVICE } from '../../../../contract/key-advice.ts';
import type { LiveExchange } from '../../../../contract/signer.ts';
import { api } from '../../../api/api.ts';
import { Button } from '../../../components/Button.tsx';
import { Field, TextAreaField } from '../../../components/Field.tsx';
import { exchangeName } from '../../../format/exchange-names.ts';
import { failureSentence } from '../../../format/failure-sentence.ts';
import { connection as server } from '../../../stores/connection.ts';
import { useLeftSignal } from '../use-left-signal.ts';
import type { CheckedKey, PastedKey } from './checked-key.ts';
import { KEY_FIELDS } from './key-steps.ts';
import { StepHead } from './StepHead.tsx';

function HowTo({ exchange }: { exchange: LiveExchange }) {
  const { page, allow, forbid } = KEY_ADVICE[exchange];
  const name = exchangeName(exchange);
  return (
    <ol className="mb-5 flex list-decimal flex-col gap-2 pl-5 text-ink-2">
      <li>
        At {name}, open <strong className="text-ink">{page}</strong> and create a new key for
        Tradewind alone.
      </li>
      <li>
        Allow:
        <ul className="list-disc pl-5">
          {allow.map((one) => (
            <li key={one}>
              <strong className="text-ink">{one}</strong>
            </li>
          ))}
        </ul>
      </li>
      <li>
        Leave off:
        <ul className="list-disc pl-5">
          {forbid.map((one) => (
            <li key={one}>
              <strong className="text-ink">{one}</strong>
            </li>
          ))}
        </ul>
        Tradewind does not take a key that can withdraw or transfer.
      </li>
      <li>Copy both parts of the key and paste them here.</li>
    </ol>
  );
}

/** Nothing corrects, completes or keeps what is typed. */
const PRIVATE = {
  autoComplete: 'off',
  autoCapitalize: 'none',
  autoCorrect: 'off',
  spellCheck: false,
  'data-1p-ignore': true,
  'data-lpignore': 'true',
} as const;

function SecretField({
  exchange,
  value,
  error,
  onChange,
}: {
  exchange: LiveExchange;
  value: string;
  error: string | undefined;
  onChange: (value: string) => void;
}) {
  const { secret, lines } = KEY_FIELDS[exchange];
  const shared = {
    ...PRIVATE,
    label: secret,
    value,
    error,
    hint: 'Sealed at once for the signer, and kept nowhere else.',
  };
  // A key of several lines loses them in a field of one.
  return lines ? (
    <TextAreaField
      {...shared}
      rows={5}
      onChange={(event) => {
        onChange(event.target.value);
      }}
    />
  ) : (
    <Field
      {...shared}
      type="password"
      onChange={(event) => {
        onChange(event.target.value);
      }}
    />
  );
}

interface KeyStepProps {
  title: string;
  exchange: LiveExchange;
  onChecked: (key: PastedKey, reply: CheckedKey) => void;
  onBack: () => void;
}

export function KeyStep({ title, exchange, onChecked, onBack }: KeyStepProps) {
  const { online } = useSnapshot(server);
  const [apiKey, setApiKey] = useState('');
  const [secret, setSecret] = useState('');
  const [missing, setMissing] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const leftSignal = useLeftSignal();
  const check = async (): Promise<void> => {
    const key = { apiKey: apiKey.trim(), secret: secret.trim() };
    setMissing(key.apiKey === '' || key.secret === '');
    if (key.apiKey === '' || key.secret === '') return;
    const signal = leftSignal();
    setBusy(true);
    setFailure(null);
    try {
      const reply = await api.call('checkExchangeKey', { body: { exchange, ...key }, signal });
      // Another exchange may have been chosen since, and this key is not its key.
      if (!signal.aborted) onChecked(key, reply);
    } catch (error) {
      if (!signal.aborted) setFailure(await failureSentence(error));
    } finally {
      setBusy(false);
    }
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void check();
  };
  return (
    <form noValidate autoComplete="off" onSubmit={submit}>
      <StepHead at={title} title={`Create a key at ${exchangeName(exchange)}`} />
      <HowTo exchange={exchange} />
      <div className="flex flex-col gap-4">
        <Field
          {...PRIVATE}
          label={KEY_FIELDS[exchange].apiKey}
          value={apiKey}
          error={missing && apiKey.trim() === '' ? 'Required' : undefined}
          onChange={(event) => {
            setApiKey(event.target.value);
          }}
        />
        <SecretField
          exchange={exchange}
          value={secret}
          error={missing && secret.trim() === '' ? 'Required' : undefined}
          onChange={setSecret}
        />
        {failure !== null && (
          <p role="alert" className="text-danger">
            {failure}
          </p>
        )}
        <div className="flex flex-col gap-2 sm:flex-row-reverse">
          <Button
            type="submit"
            tone="primary"
            busy={busy}
            disabled={online === 'offline'}
            className="sm:flex-1"
          >
            Check this key
          </Button>
          <Button onClick={onBack}>Back</Button>
        </div>
      </div>
    </form>
  );
}
