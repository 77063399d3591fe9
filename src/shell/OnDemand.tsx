/** What belongs to every screen and is seen only when it is asked for; its code comes late. */
import { StartAgain } from '../screens/agents/start-stop/StartAgain.tsx';
import { KeyboardShortcuts } from './KeyboardShortcuts.tsx';

export function OnDemand() {
  return (
    <>
      <KeyboardShortcuts />
      <StartAgain />
    </>
  );
}
