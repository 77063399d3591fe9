/**
 * Takes a key and has it checked. It is kept in this form alone: no draft, no store, no address.
 */
import { useState, type FormEvent } from 'react';
import { useSnapshot } from 'valtio';
import type { LiveExchange } from '../../../../contract/signer.ts';
import { api } from '../../../api/api.ts';
import { Button } from '../../../components/Button.tsx';
import { exchangeName } from '../../../format/exchange-names.ts';
import { failureSentence } from '../../../format/failure-sentence.ts';
import { connection as server } from '../../../stores/connection.ts';
import { useLeftSignal } from '../use-left-signal.ts';
import type { CheckedKey, PastedKey } from './checked-key.ts';
import { HowTo, KeyFields, wholeKey } from './KeyFields.tsx';
import { StepHead } from './StepHead.tsx';

interface KeyStepProps {
  title: string;
  exchange: LiveExchange;
  onChecked: (key: PastedKey, reply: CheckedKey) => void;
  onBack: () => void;
}

export function KeyStep({ title, exchange, onChecked, onBack }: KeyStepProps) {
  const { online } = useSnapshot(server);
  const [pasted, setPasted] = useState<PastedKey>({ apiKey: '', secret: '' });
  const [missing, setMissing] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const leftSignal = useLeftSignal();
  const check = async (): Promise<void> => {
    const key = wholeKey(pasted);
    setMissing(key === null);
    if (key === null) return;
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
        <KeyFields exchange={exchange} value={pasted} missing={missing} onChange={setPasted} />
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
