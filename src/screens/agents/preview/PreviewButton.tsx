/** Loads an agent's preview when it is asked for. */
import { Suspense, useState } from 'react';
import { Button } from '../../../components/Button.tsx';
import { Skeleton } from '../../../components/EmptyState.tsx';
import { screenPart } from '../../../components/screen-part.tsx';

const PreviewPanel = screenPart(() => import('./PreviewPanel.tsx'));

/** `rows`: how many pairs to expect. `name` is for screen readers. */
export function PreviewButton({
  agentId,
  name,
  rows,
}: {
  agentId: string;
  name: string;
  rows: number;
}) {
  const [asked, setAsked] = useState(false);
  return asked ? (
    <div className="mt-2 mb-1 border-l border-line pl-3">
      <Suspense fallback={<Skeleton className="h-40 w-full" />}>
        <PreviewPanel ask={{ agentId }} rows={rows} />
      </Suspense>
    </div>
  ) : (
    <Button
      size="sm"
      tone="plain"
      className="-ml-3"
      onClick={() => {
        setAsked(true);
      }}
    >
      Preview <span className="sr-only">{name}</span>
    </Button>
  );
}
