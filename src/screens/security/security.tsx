/** The sign-in, what stays on this device, what is held on the server, and how the app looks; refuses to hide what ends with what. */
import { useEffect, useState } from 'react';
import { useSnapshot } from 'valtio';
import { keepsSnapshots, setKeepSnapshots, unsentCommands } from '../../commands.ts';
import { HoldToConfirm } from '../../components/HoldToConfirm.tsx';
import { Line, ScreenTitle, Section } from '../../components/Section.tsx';
import { Switch } from '../../components/Switch.tsx';
import { signOut } from '../../identity/session.ts';
import { kept, lookAtStorage } from '../../stores/persistence.ts';
import { tried } from '../act.ts';
import { DeleteAccount } from './delete-account.tsx';
import { Look } from './look.tsx';
import { Notifications } from './notifications.tsx';
import { OwnData } from './own-data.tsx';
import { SessionPart } from './session.tsx';
import { SignInPart } from './sign-in.tsx';
import { ThisApp } from './this-app.tsx';

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
        <div className="min-w-0 flex-1 basis-56"><p className="font-medium">Wipe this device</p><p className="text-xs text-ink-3">Deletes snapshots and unsent commands here, and signs out. Nothing on the server changes.</p></div>
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
        <div className="flex flex-col gap-8"><SessionPart /><SignInPart /><DevicePart /><ThisApp /></div>
        <div className="flex flex-col gap-8"><Look /><Notifications /><OwnData /><DeleteAccount /></div>
      </div>
    </>
  );
}
