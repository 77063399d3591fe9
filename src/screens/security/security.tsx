/** The session, what stays on this device, and how the app looks; refuses to sign out over unsent commands without a word. */
import { useEffect, useState } from 'react';
import { useSnapshot } from 'valtio';
import { useLocation } from 'wouter';
import { keepsSnapshots, sendQueued, setKeepSnapshots, unsentCommands } from '../../commands.ts';
import { Button } from '../../components/Button.tsx';
import { Dialog } from '../../components/Dialog.tsx';
import { HoldToConfirm } from '../../components/HoldToConfirm.tsx';
import { Line, ScreenTitle, Section } from '../../components/Section.tsx';
import { Switch } from '../../components/Switch.tsx';
import { useNow } from '../../components/use-now.ts';
import { formatClock, formatSpan } from '../../format/times.ts';
import { session, signOut } from '../../identity/session.ts';
import { kept, lookAtStorage } from '../../stores/persistence.ts';
import { SignInAgain } from '../../shell/SignInAgain.tsx';
import { commandText } from '../../stores/agent-view.ts';
import { connection } from '../../stores/connection.ts';
import { tried } from '../act.ts';
import { Notifications } from './notifications.tsx';
import { Look } from './look.tsx';
import { ThisApp } from './this-app.tsx';

type Unsent = ReturnType<typeof unsentCommands>;

function SignOut() {
  const [, go] = useLocation();
  const { online } = useSnapshot(connection);
  const [unsent, setUnsent] = useState<Unsent>([]);
  const [busy, setBusy] = useState(false);
  const leave = async (): Promise<void> => {
    setBusy(true);
    setUnsent([]);
    if (await tried(signOut())) go('/');
    setBusy(false);
  };
  const ask = async (): Promise<void> => {
    if (unsentCommands().length > 0 && online !== 'offline') await sendQueued();
    const left = unsentCommands();
    if (left.length === 0) await leave();
    else setUnsent(left);
  };
  return (
    <>
      <Button busy={busy} onClick={() => { void ask(); }}>Sign out</Button>
      <Dialog open={unsent.length > 0} onOpenChange={() => { setUnsent([]); }} title={`${unsent.length} unsent ${unsent.length === 1 ? 'command' : 'commands'}`} description="The server has not received these. Signing out discards them."
        actions={<><Button onClick={() => { setUnsent([]); }}>Wait for the network</Button><Button tone="danger" onClick={() => { void leave(); }}>Discard and sign out</Button></>}>
        <ul>{unsent.map((entry) => <li key={entry.commandId} className="rule py-2"><p className="font-medium">{entry.agentId === null ? 'All agents' : entry.agentName}</p><p className="text-ink-2">{commandText(entry)}</p></li>)}</ul>
      </Dialog>
    </>
  );
}

function SessionPart() {
  const { user, expiresAt, status } = useSnapshot(session);
  const now = useNow(10_000);
  const [open, setOpen] = useState(false);
  return (
    <Section title="Session">
      <dl>
        <Line term="Signed in as"><span className="break-all">{user?.email ?? '—'}</span></Line>
        <Line term="Ends">{expiresAt === null ? '—' : status === 'expired' ? 'over' : `in ${formatSpan(Math.max(0, expiresAt - now))}, at ${formatClock(expiresAt)}`}</Line>
      </dl>
      <p className="rule py-3 text-ink-2">A session lasts four hours from the sign-in. Agents run on without it, and stops keep guarding positions.</p>
      <div className="flex flex-wrap gap-2"><Button onClick={() => { setOpen(true); }}>Sign in again</Button><SignOut /></div>
      <SignInAgain open={open} onOpenChange={setOpen} />
    </Section>
  );
}

const PROMISES = { 'kept': 'Kept until you delete it', 'may-be-cleared': 'May be cleared when space is short', 'unknown': 'This browser does not say' } as const;

function DevicePart() {
  const { promise, usedBytes } = useSnapshot(kept);
  useEffect(() => { void lookAtStorage(); }, []);
  const [keeps, setKeeps] = useState(keepsSnapshots);
  const change = (keep: boolean): void => { void tried(setKeepSnapshots(keep)).then(() => { setKeeps(keepsSnapshots()); }); };
  const wipe = (): void => {
    void tried(signOut()).then((done) => { if (done) location.assign('/'); });
  };
  return (
    <Section title="This device">
      <dl>
        <Line term="Storage by this browser">{PROMISES[promise]}</Line>
        <Line term="Storage used">{usedBytes === null ? '— not told by this browser' : `${(usedBytes / 1e6).toFixed(1)} MB`}</Line>
      </dl>
      <div className="rule">
        <Switch label="Keep my last snapshot on this device" checked={keeps} onChange={change} hint="Portfolio, agents and trades as last seen, to be read without a network. Off deletes what is kept now. Commands that wait to be sent are not affected." />
      </div>
      <div className="rule flex flex-wrap items-center justify-between gap-3 py-3">
        <div className="min-w-0"><p className="font-medium">Wipe this device</p><p className="text-xs text-ink-3">Deletes snapshots and unsent commands here, and signs out. Nothing on the server changes.</p></div>
        <HoldToConfirm label="Wipe" sentence={`Deletes what is kept here${unsentCommands().length > 0 ? `, with ${unsentCommands().length} unsent commands,` : ''} and signs out.`} onConfirm={wipe} />
      </div>
    </Section>
  );
}

export default function Security() {
  return (
    <>
      <ScreenTitle title="Security" />
      <div className="grid max-w-5xl gap-x-12 gap-y-8 lg:grid-cols-2">
        <div className="flex flex-col gap-8"><SessionPart /><DevicePart /><ThisApp /></div>
        <div className="flex flex-col gap-8"><Look /><Notifications /></div>
      </div>
    </>
  );
}
