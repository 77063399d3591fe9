/**
 * Sends a form's request under one idempotency key until its answer is known. Pressed again after a
 * lost answer, the receipt of the first press answers, and nothing is an edit of an older version.
 */
import { useRef } from 'react';
import { ApiError } from '../api/api-error.ts';

interface Sent {
  content: string;
  commandId: string;
}

export type SendOnce = <R>(content: unknown, send: (commandId: string) => Promise<R>) => Promise<R>;

export function useSameKey(): SendOnce {
  const unanswered = useRef<Sent | null>(null);
  return async (content, send) => {
    const text = JSON.stringify(content);
    const sent =
      unanswered.current?.content === text
        ? unanswered.current
        : { content: text, commandId: crypto.randomUUID() };
    unanswered.current = sent;
    let isAnswered = true;
    try {
      return await send(sent.commandId);
    } catch (error) {
      isAnswered = error instanceof ApiError && !error.mayHaveArrived;
      throw error;
    } finally {
      if (isAnswered && unanswered.current === sent) unanswered.current = null;
    }
  };
}
