/** What is stored on this device, whether it is stored, and the button to wipe it. */
import { useEffect, useState } from 'react';
import { useSnapshot } from 'valtio';
import { keepsSnapshots, setKeepSnapshots } from '../../commands.ts';
import { HoldToConfirm } from '../../components/HoldToConfirm.tsx';
import { Line, Section } from '../../components/Section.tsx';
import { Switch } from '../../components/Switch.tsx';
import { signOut } from '../../identity/session.ts';
import { formatRatio } from '../../format/numbers.ts';
import { persistence, checkPersistence } from '../../stores/storage-persistence.ts';
import { showFailure } from '../show-result.ts';
import { useDiscardQuestion, type DiscardingAct } from './use-discard-question.tsx';

const PROMISES = {
  kept: 'Stored until you delete it',
  'may-be-cleared': 'May be cleared if space runs low',
  unknown: 'Unknown in this browser',
} as const;

const WIPE: DiscardingAct = {
  press: 'Wipe',
  doing: 'Wiping this device',
  notDone: 'Not wiped',
};

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
  const { ask, busy, question } = useDiscardQuestion(WIPE, async () => {
    if (await showFailure(signOut())) location.assign('/');
  });
  return (
    <Section title="This device">
      <dl>
        <Line term="Storage by this browser">{PROMISES[promise]}</Line>
        <Line term="Storage used">
          {usedBytes === null
            ? '— unknown in this browser'
            : `${formatRatio(usedBytes / 1e6, 1)} MB`}
        </Line>
      </dl>
      <div className="rule">
        <Switch
          label="Available offline"
          checked={keeps}
          onChange={change}
          hint="Saves your last portfolio, agents and trades on this device. Turning it off deletes them. Unsent commands are not affected."
        />
      </div>
      <div className="rule flex flex-wrap items-center justify-between gap-3 py-3">
        <div className="min-w-0 flex-1 basis-56">
          <p className="font-medium">Wipe this device</p>
          <p className="text-xs text-ink-3">
            Deletes saved data on this device and logs you out. Agents keep running.
          </p>
        </div>
        <HoldToConfirm
          label="Wipe"
          sentence="Deletes all saved data on this device and logs you out. You are asked before an unsent command is discarded."
          disabled={busy}
          onConfirm={ask}
        />
        {question}
      </div>
    </Section>
  );
}
