/** Steps to install the app on iPhone and iPad, where no button can do it. */
import { Share, SquarePlus } from 'lucide-react';

const STEP = 'flex items-center gap-2';
const ICON = 'size-4.5 shrink-0 text-accent';

export function InstallSteps() {
  return (
    <ol className="mt-2 flex flex-col gap-1.5">
      <li className={STEP}>
        <Share className={ICON} strokeWidth={1.75} aria-hidden />
        <span>
          Tap <strong className="font-medium">Share</strong> in the browser’s bar.
        </span>
      </li>
      <li className={STEP}>
        <SquarePlus className={ICON} strokeWidth={1.75} aria-hidden />
        <span>
          Choose <strong className="font-medium">Add to Home Screen</strong>. It may be under More.
        </span>
      </li>
    </ol>
  );
}
