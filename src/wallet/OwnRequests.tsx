/**
 * Gives what is in it a record of its own of what it asks wallets for, with all that is read shared.
 * What a card of the kit goes on asking for after it has gone is then no request of another card.
 */
import { useState, type ReactNode } from 'react';
import { QueryClient, QueryClientProvider, useQueryClient } from '@tanstack/react-query';
import { reportingMutations } from './wallet-reports.ts';

export function OwnRequests({ children }: { children: ReactNode }) {
  const shared = useQueryClient();
  const [own] = useState(
    () =>
      new QueryClient({
        queryCache: shared.getQueryCache(),
        mutationCache: reportingMutations(),
        defaultOptions: shared.getDefaultOptions(),
      }),
  );
  return <QueryClientProvider client={own}>{children}</QueryClientProvider>;
}
