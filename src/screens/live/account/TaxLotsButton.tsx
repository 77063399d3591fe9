/** Opens the tax lots of an exchange account, from its real fills. */
import { Landmark } from 'lucide-react';
import { Suspense, useState } from 'react';
import type { LiveConnection } from '../../../../contract/live-state.ts';
import { Button } from '../../../components/Button.tsx';
import { screenPart } from '../../../components/screen-part.tsx';

const TaxExport = screenPart(() => import('../../tax/TaxExport.tsx'));

export function TaxLotsButton({ connection }: { connection: LiveConnection }) {
  const [open, setOpen] = useState(false);
  return (
    <div className="mt-2">
      <Button
        size="sm"
        tone="plain"
        aria-haspopup="dialog"
        title="Gains by tax lot (FIFO)"
        onClick={() => {
          setOpen(true);
        }}
      >
        <Landmark className="size-4" aria-hidden />
        Tax lots
      </Button>
      {open && (
        <Suspense>
          <TaxExport
            account={{ kind: 'live', connectionId: connection.id }}
            where={connection}
            onClose={() => {
              setOpen(false);
            }}
          />
        </Suspense>
      )}
    </div>
  );
}
