/** The PRO dashboard under its own path: what everybody has, and what Pro adds; refuses figures that are not the account's. */
import { Overview } from './standard-dashboard.tsx';

export default function ProDashboard() {
  return <Overview pro title="PRO Dashboard" />;
}
