/**
 * How to create a key at an exchange, and the fields where it is pasted. What is typed is the
 * caller's alone to hold: the fields tell the browser to keep none of it.
 */
import { KEY_ADVICE } from '../../../../contract/key-advice.ts';
import type { LiveExchange } from '../../../../contract/signer.ts';
import { Field, TextAreaField } from '../../../components/Field.tsx';
import { exchangeName } from '../../../format/exchange-names.ts';
import type { PastedKey } from './checked-key.ts';
import { KEY_FIELDS } from './key-steps.ts';

export function HowTo({ exchange }: { exchange: LiveExchange }) {
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

/** As it is sent; null where a part is missing. */
export function wholeKey({ apiKey, secret }: PastedKey): PastedKey | null {
  const key = { apiKey: apiKey.trim(), secret: secret.trim() };
  return key.apiKey === '' || key.secret === '' ? null : key;
}

export function KeyFields({
  exchange,
  value,
  missing,
  onChange,
}: {
  exchange: LiveExchange;
  value: PastedKey;
  /** Whether a part that is missing is said to be. */
  missing: boolean;
  onChange: (value: PastedKey) => void;
}) {
  const { apiKey, secret } = value;
  return (
    <>
      <Field
        {...PRIVATE}
        label={KEY_FIELDS[exchange].apiKey}
        value={apiKey}
        error={missing && apiKey.trim() === '' ? 'Required' : undefined}
        onChange={(event) => {
          onChange({ apiKey: event.target.value, secret });
        }}
      />
      <SecretField
        exchange={exchange}
        value={secret}
        error={missing && secret.trim() === '' ? 'Required' : undefined}
        onChange={(next) => {
          onChange({ apiKey, secret: next });
        }}
      />
    </>
  );
}
