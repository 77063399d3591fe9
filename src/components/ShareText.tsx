/** A text to share, shown in full, with the button that shares it. */
import { useState } from 'react';
import { shareOut, type Shared, type ShareEnd } from '../platform/share.ts';
import { Button } from './Button.tsx';

const SAID: Record<ShareEnd, string> = {
  shared: 'Shared.',
  copied: 'Copied.',
  dropped: '',
  failed: 'Could not share or copy. Select the text above.',
};

export function ShareText({ what, label }: { what: Shared; label: string }) {
  const [end, setEnd] = useState<ShareEnd | null>(null);
  return (
    <div className="rule py-3">
      <p className="mb-3 border-l-2 border-line pl-3 break-words text-ink-2 select-all">
        {what.text} {what.url}
      </p>
      <div className="flex flex-wrap items-center gap-3">
        <Button
          onClick={() => {
            void shareOut(what).then(setEnd);
          }}
        >
          {label}
        </Button>
        <span role="status" className="text-ink-3">
          {end === null ? '' : SAID[end]}
        </span>
      </div>
    </div>
  );
}
