/** The list of keyboard shortcuts, and the switch for single keys. */
import { useSnapshot } from 'valtio';
import { Dialog } from '../components/Dialog.tsx';
import { Switch } from '../components/Switch.tsx';
import { GOES, MODIFIER, OTHERS, setShortcuts, shortcuts, type Shortcut } from './shortcuts.ts';

function KeyCaps({ text }: { text: string }) {
  return (
    <span className="flex gap-1">
      {text.split(' ').map((key) => (
        <kbd
          key={key}
          className="inline-flex h-6 min-w-6 items-center justify-center rounded-sm border border-line-strong px-1.5 font-sans text-xs"
        >
          {key}
        </kbd>
      ))}
    </span>
  );
}

function List({ rows }: { rows: readonly Shortcut[] }) {
  return (
    <dl>
      {rows.map(({ keys, label }) => (
        <div key={keys} className="flex min-h-8 items-center justify-between gap-4">
          <dt className="text-ink-2">{label}</dt>
          <dd>
            <KeyCaps text={keys} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

export default function ShortcutSheet({
  open,
  onOpenChange,
}: {
  open: boolean;
  onOpenChange: (open: boolean) => void;
}) {
  const { on } = useSnapshot(shortcuts);
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title="Keyboard shortcuts">
      <List rows={[{ keys: `${MODIFIER} K`, label: 'Find an agent, symbol, screen or action' }]} />
      <div className={on ? '' : 'opacity-60'}>
        <List rows={OTHERS} />
        <h3 className="mt-4 mb-1 text-xs text-ink-3">Go to: press one key after the other</h3>
        <List rows={GOES} />
      </div>
      <div className="rule mt-4 pt-2">
        <Switch
          label="Single-key shortcuts"
          hint="When off, only the first shortcut works. Useful with dictation or if you press keys by accident."
          checked={on}
          onChange={setShortcuts}
        />
      </div>
    </Dialog>
  );
}
