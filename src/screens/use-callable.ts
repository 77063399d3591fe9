/** Loads a callable function into a component: when shown, and again when the server is back. */
import { useCallback, useEffect, useState } from 'react';
import { useSnapshot } from 'valtio';
import type { CallableName, CallableReply } from '../../contract/callables.ts';
import { callFunction } from '../callables/call-function.ts';
import { errorSentence } from '../format/error-text.ts';
import { connection } from '../stores/connection.ts';

/** The functions that only say how things are. */
type Reading = {
  [N in CallableName]: Record<string, never> extends Parameters<typeof callFunction<N>>[1]
    ? N
    : never;
}[CallableName];

export interface CallableState<T> {
  data: T | null;
  /** Why the last reading failed; what was read before stays. */
  error: string | null;
  /** Puts the server's answer to a change in the place of what was read. */
  put: (data: T) => void;
  again: () => void;
}

export function useCallable<N extends Reading>(name: N): CallableState<CallableReply<N>> {
  const { online } = useSnapshot(connection);
  const [data, setData] = useState<CallableReply<N> | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    if (online === 'offline') return;
    let here = true;
    const request = {} as Parameters<typeof callFunction<N>>[1];
    callFunction(name, request).then(
      (reply) => {
        if (here) {
          setData(reply);
          setError(null);
        }
      },
      (failure: unknown) => {
        if (here) setError(errorSentence(failure));
      },
    );
    return () => {
      here = false;
    };
  }, [name, online, turn]);
  const put = useCallback((next: CallableReply<N>) => {
    setData(next);
    setError(null);
  }, []);
  const again = useCallback(() => {
    setError(null);
    setTurn((before) => before + 1);
  }, []);
  return { data, error, put, again };
}
