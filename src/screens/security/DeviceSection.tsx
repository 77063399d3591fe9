/** What is kept on this device, the switch for it, and its end. */
import { useEffect, useState } from 'react';
import { useSnapshot } from 'valtio';
import { keepsSnapshots, setKeepSnapshots, unsentCommands } from '../../commands.ts';
import { HoldToConfirm } from '../../components/HoldToConfirm.tsx';
import { Line, Section } from '../../components/Section.tsx';
import { Switch } from '../../components/Switch.tsx';
import { signOut } from '../../identity/session.ts';
import { formatRatio } from '../../format/numbers.ts';
import { persistence, checkPersistence } from '../../stores/storage-persistence.ts';
import { showFailure } from '../show-result.ts';

const PROMISES = {
  kept: 'Kept until you delete it',
  'may-be-cleared': 'May be cleared when space is short',
  unknown: 'This browser does not say',
} as const;

/**
 * What lies on this device: the snapshot and its switch, the room it takes, and the way to be rid
 * of it.
 */
export function DeviceSection() {
  const { promise, usedBytes } = useSnapshot(persistence);
  useEffect(() => {
    void checkPersistence();
  }, []);
  const [keeps, setKeeps] = useState(keepsSnapshots);
  const change = (keep: boolean): void => {
    void showFailure(setKeepSnapshots(keep)).then(() => {
      setKeeps(keepsSnapshots());
    });
  };
  const wipe = (): void => {
    void showFailure(signOut()).then((done) => {
      if (done) location.assign('/');
    });
  };
  return (
    <Section title="This device">
      <dl>
        <Line term="Storage by this browser">{PROMISES[promise]}</Line>
        <Line term="Storage used">
          {usedBytes === null
            ? '— not told by this browser'
            : `${formatRatio(usedBytes / 1e6, 1)} MB`}
        </Line>
      </dl>
      <div className="rule">
        <Switch
          label="Keep my last snapshot on this device"
          checked={keeps}
          onChange={change}
          hint="Portfolio, agents and trades as last seen, to be read without a network. Off deletes what is kept now. Commands that wait to be sent are not affected."
        />
      </div>
      <div className="rule flex flex-wrap items-center justify-between gap-3 py-3">
        <div className="min-w-0 flex-1 basis-56">
          <p className="font-medium">Wipe this device</p>
          <p className="text-xs text-ink-3">
            Deletes snapshots and unsent commands here, and signs out. Nothing on the server
            changes.
          </p>
        </div>
        <HoldToConfirm
          label="Wipe"
          sentence={`Deletes what is kept here${unsentCommands().length > 0 ? `, with ${unsentCommands().length} unsent commands,` : ''} and signs out.`}
          onConfirm={wipe}
        />
      </div>
    </Section>
  );
}
