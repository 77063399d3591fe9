/** The PRO dashboard under its own path: what Pro adds first, then what everybody has. */
import ProParts from './ProParts.tsx';
import { Overview } from './StandardDashboard.tsx';

export default function ProDashboard() {
  return <Overview pro title="PRO Dashboard" lead={(known) => <ProParts {...known} />} />;
}
