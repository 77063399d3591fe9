/** Downloads all data of the user as files. An incomplete download is never saved. */
import { useEffect, useRef, useState } from 'react';
import { useSnapshot } from 'valtio';
import { Button } from '../../components/Button.tsx';
import { Section } from '../../components/Section.tsx';
import { errorSentence } from '../../format/error-text.ts';
import { formatNumber } from '../../format/numbers.ts';
import { session } from '../../identity/session.ts';
import { connection } from '../../stores/connection.ts';
import { download } from '../portfolio/csv.ts';

type Format = 'json' | 'csv';

/** Loads every part and saves one file by the browser. */
function useExport() {
  const [busy, setBusy] = useState<Format | null>(null);
  const [message, setMessage] = useState('');
  const [error, setError] = useState<string | null>(null);
  const abort = useRef<AbortController | null>(null);
  useEffect(
    () => () => {
      abort.current?.abort();
    },
    [],
  );
  const fetchAll = async (format: Format): Promise<void> => {
    const ours = new AbortController();
    abort.current = ours;
    setBusy(format);
    setError(null);
    setMessage('Loading…');
    try {
      const { asJson, asZip, collect } = await import('./export-data.ts');
      const data = await collect((done, of) => {
        setMessage(`Loading part ${done} of ${of}`);
      }, ours.signal);
      const at = new Date();
      const name = `tradewind-${at.toISOString().slice(0, 10)}`;
      if (format === 'json') download(`${name}.json`, asJson(data, at), 'application/json');
      else download(`${name}.zip`, asZip(data, at), 'application/zip');
      const rows = [...data.values()].reduce((sum, part) => sum + part.rows.length, 0);
      setMessage(`${formatNumber(rows)} rows saved by your browser.`);
    } catch (failure) {
      if (ours.signal.aborted) return;
      setMessage('');
      setError(`${errorSentence(failure)} No file was created.`);
    }
    setBusy(null);
  };
  return { busy, message, error, fetchAll };
}

function SaveButtons({
  blocked,
  busy,
  message,
  fetchAll,
}: Omit<ReturnType<typeof useExport>, 'error'> & { blocked: boolean }) {
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Button
        disabled={blocked && busy !== 'json'}
        busy={busy === 'json'}
        onClick={() => {
          void fetchAll('json');
        }}
      >
        Save as JSON
      </Button>
      <Button
        disabled={blocked && busy !== 'csv'}
        busy={busy === 'csv'}
        onClick={() => {
          void fetchAll('csv');
        }}
      >
        Save as CSV
      </Button>
      {/* Announced now and then, because a live region would read out every part. */}
      <span className="text-xs text-ink-3" role={busy === null ? 'status' : undefined}>
        {message}
      </span>
    </div>
  );
}

export function OwnDataSection() {
  const { online } = useSnapshot(connection);
  const { status } = useSnapshot(session);
  const { busy, message, error, fetchAll } = useExport();
  const blocked = online === 'offline' || status !== 'signed-in' || busy !== null;
  return (
    <Section title="Your data">
      <p className="rule py-3 text-ink-2">
        Download everything the server stores about you: profile and login, settings, agents and
        decisions, orders, trades, ledger, accounts and equity, plan, notified devices (without
        their secret addresses), referrals and support requests.
      </p>
      <SaveButtons blocked={blocked} busy={busy} message={message} fetchAll={fetchAll} />
      {online === 'offline' && (
        <p role="status" className="mt-2 text-xs text-ink-3">
          You're offline. You can save the last loaded trades on the Portfolio screen.
        </p>
      )}
      {error !== null && (
        <p role="alert" className="mt-2 text-danger">
          {error}
        </p>
      )}
      <p className="mt-2 text-xs text-ink-3">CSV: one file per table in a .zip.</p>
    </Section>
  );
}
