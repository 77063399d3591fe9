/**
 * Exchanges the key of an exchange account for another one of the same account. What is pasted lives
 * in the open dialog's memory alone, and goes only to the signer, sealed.
 */
import { useState, type FormEvent } from 'react';
import { useSnapshot } from 'valtio';
import type { CallReply } from '../../../../contract/calls.ts';
import type { StepUpWire } from '../../../../contract/live.ts';
import type { LiveConnection } from '../../../../contract/live-state.ts';
import { api } from '../../../api/api.ts';
import { Button } from '../../../components/Button.tsx';
import { Dialog } from '../../../components/Dialog.tsx';
import { Section } from '../../../components/Section.tsx';
import { useNow } from '../../../components/use-now.ts';
import { formatAgo } from '../../../format/ages.ts';
import { digestOfKey } from '../../../live/confirm-act.ts';
import { connection as server } from '../../../stores/connection.ts';
import { applyConnection, loadLiveAccount } from '../../../stores/live-store.ts';
import { pageToast } from '../../../stores/toast-store.ts';
import { useHeldEntries } from '../../use-held-entries.ts';
import { ConfirmForm } from '../confirm/ConfirmForm.tsx';
import type { PastedKey } from '../connect/checked-key.ts';
import { faultText } from '../connect/key-steps.ts';
import { HowTo, KeyFields, wholeKey } from '../connect/KeyFields.tsx';
import { chosenLimits } from '../limits-draft.ts';
import { fullNameOf, nameOf } from '../live-text.ts';

type Report = CallReply<'replaceExchangeKey'>['report'];
interface NewKey extends PastedKey {
  keyDigest: string;
}

function PasteForm({
  connection: { exchange },
  onPasted,
}: {
  connection: LiveConnection;
  onPasted: (key: NewKey) => void;
}) {
  const [pasted, setPasted] = useState<PastedKey>({ apiKey: '', secret: '' });
  const [missing, setMissing] = useState(false);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const key = wholeKey(pasted);
    setMissing(key === null);
    if (key === null) return;
    void digestOfKey(key.apiKey).then((keyDigest) => {
      onPasted({ ...key, keyDigest });
    });
  };
  return (
    <form noValidate autoComplete="off" onSubmit={submit}>
      <HowTo exchange={exchange} />
      <div className="flex flex-col gap-4">
        <KeyFields exchange={exchange} value={pasted} missing={missing} onChange={setPasted} />
        <Button type="submit" tone="primary" wide>
          Next: confirm
        </Button>
      </div>
    </form>
  );
}

function NotTaken({
  connection: { exchange },
  report,
  onAgain,
}: {
  connection: LiveConnection;
  report: Report;
  onAgain: () => void;
}) {
  return (
    <>
      <div role="alert" className="mb-4 flex flex-col gap-2 border-l-2 border-danger pl-3">
        {report.faults.map((fault) => (
          <p key={fault} className="text-danger">
            {faultText(fault, exchange, report.advice, report.permissions?.missing)}
          </p>
        ))}
      </div>
      <p className="mb-4 text-ink-2">
        The old key is still kept. What you pasted is gone from this page.
      </p>
      <Button tone="primary" wide onClick={onAgain}>
        Try another key
      </Button>
    </>
  );
}

function ReplaceForm({ connection, onDone }: { connection: LiveConnection; onDone: () => void }) {
  const [key, setKey] = useState<NewKey | null>(null);
  const [report, setReport] = useState<Report | null>(null);
  const { id, stepUpKeys } = connection;
  useHeldEntries(key !== null);
  const confirmed = async (stepUp: StepUpWire): Promise<void> => {
    if (key === null) return;
    const { apiKey, secret } = key;
    const reply = await api.call('replaceExchangeKey', {
      params: { id },
      body: { apiKey, secret, stepUp },
    });
    setKey(null);
    applyConnection(reply.connection);
    if (!reply.report.accepted) {
      setReport(reply.report);
      return;
    }
    pageToast('success', `Key replaced. Delete the old one at ${nameOf(connection)}.`);
    void loadLiveAccount(id, true);
    onDone();
  };
  if (key !== null)
    return (
      <>
        <p className="mb-3">
          {nameOf(connection)} is asked first what the new key may do, and whose account it is. Only
          then it takes the place of the old one. Agents, limits and history stay.
        </p>
        <ConfirmForm
          act={{
            connectionId: id,
            purpose: 'replace_key',
            agentId: null,
            limits: null,
            shown: chosenLimits(connection),
            keyDigest: key.keyDigest,
          }}
          keys={stepUpKeys}
          label="Replace key"
          onConfirmed={confirmed}
          unanswered={`The key of ${nameOf(connection)} may have been replaced.`}
          onUnanswered={() => {
            void loadLiveAccount(id, true);
          }}
        />
      </>
    );
  if (report !== null)
    return (
      <NotTaken
        connection={connection}
        report={report}
        onAgain={() => {
          setReport(null);
        }}
      />
    );
  return <PasteForm connection={connection} onPasted={setKey} />;
}

/** Opens the dialog; offline it says why not. */
export function ReplaceKeyButton({ onReplace }: { onReplace: () => void }) {
  const { online } = useSnapshot(server);
  return (
    <>
      <Button size="sm" disabled={online === 'offline'} onClick={onReplace}>
        Replace key
      </Button>
      {online === 'offline' && (
        <p className="text-xs text-amber">You need a connection to replace the key.</p>
      )}
    </>
  );
}

/** Stays open whatever is read of the old key meanwhile: it belongs to no part that comes and goes. */
export function ReplaceKeyDialog({
  connection,
  open,
  onOpenChange,
}: {
  connection: LiveConnection;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}) {
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title="Replace key"
      description={`${fullNameOf(connection)}. The new key must belong to the same account there.`}
    >
      <ReplaceForm
        connection={connection}
        onDone={() => {
          onOpenChange(false);
        }}
      />
    </Dialog>
  );
}

/** For a key that expires, or that a person changes now and then. */
export function KeySection({
  connection,
  onReplace,
}: {
  connection: LiveConnection;
  onReplace: () => void;
}) {
  const now = useNow(60_000);
  const { permissionsReadAt, keyFaults = [] } = connection;
  const read = formatAgo(Math.max(0, now - permissionsReadAt));
  return (
    <Section title="Key">
      <div className="rule flex flex-col items-start gap-2 py-3">
        <p className="text-ink-2">
          {keyFaults.length === 0 ? 'Accepted' : 'Not accepted'} when last read {read}. A new key of
          the same account takes its place; agents, limits and history stay.
        </p>
        <ReplaceKeyButton onReplace={onReplace} />
      </div>
    </Section>
  );
}
