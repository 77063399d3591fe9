/** Theme, colours, row height and single-key shortcuts on this device. */
import { useSnapshot } from 'valtio';
import { Select } from '../../components/Field.tsx';
import { Section } from '../../components/Section.tsx';
import { Switch } from '../../components/Switch.tsx';
import { appearance } from '../../shell/appearance.ts';
import type { GainColours, Rows, Theme } from '../../shell/appearance-marks.ts';
import { MODIFIER, setShortcuts, shortcuts } from '../../shell/shortcuts.ts';

const THEMES: readonly { value: Theme; label: string }[] = [
  { value: 'system', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
];
const GAINS: readonly { value: GainColours; label: string }[] = [
  { value: 'green', label: 'Green up, red down' },
  { value: 'blue', label: 'Blue up, orange down' },
];
const ROWS: readonly { value: Rows; label: string }[] = [
  { value: 'device', label: 'Automatic' },
  { value: 'roomy', label: 'Comfortable' },
];

export function AppearanceSection() {
  const { theme, gain, rows } = useSnapshot(appearance);
  const { on } = useSnapshot(shortcuts);
  return (
    <Section title="Appearance">
      <div className="rule flex flex-col gap-4 pt-4">
        <Select
          label="Theme"
          value={theme}
          options={THEMES}
          onChange={(event) => {
            appearance.theme = event.target.value as Theme;
          }}
        />
        <Select
          label="Gains and losses"
          value={gain}
          options={GAINS}
          hint="Gains and losses also have ▲ ▼ and a sign."
          onChange={(event) => {
            appearance.gain = event.target.value as GainColours;
          }}
        />
        <Select
          label="Rows"
          value={rows}
          options={ROWS}
          hint="Automatic: compact with a mouse, larger for touch."
          onChange={(event) => {
            appearance.rows = event.target.value as Rows;
          }}
        />
        <Switch
          label="Single-key shortcuts"
          hint={`“g d” for the dashboard, “/” to search, “?” for all shortcuts. ${MODIFIER} K always works.`}
          checked={on}
          onChange={setShortcuts}
        />
      </div>
    </Section>
  );
}
