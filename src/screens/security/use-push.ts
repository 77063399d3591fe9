/** The user's notification settings as the server has them, and the state of this device. */
import { useEffect, useState } from 'react';
import { useSnapshot } from 'valtio';
import { errorSentence } from '../../format/error-text.ts';
import { session } from '../../identity/session.ts';
import {
  deviceState,
  readPush,
  writePush,
  type DeviceState,
  type PushState,
} from '../../push/device.ts';
import { connection } from '../../stores/connection.ts';
import { showFailure } from '../show-result.ts';
import { PushOrder, type SettingsChange } from './push-order.ts';

/** Resolves once the server has answered; a failure has been said by then. */
export type ChangeSettings = (change: SettingsChange) => Promise<void>;

export function usePush(uid: string) {
  const { online } = useSnapshot(connection);
  const [device, setDevice] = useState<DeviceState>(() => deviceState(uid));
  const [push, setPush] = useState<PushState | null>(null);
  const [order] = useState(() => new PushOrder());
  /** Why there is nothing to show. */
  const [error, setError] = useState<string | null>(null);
  const [underWay, setUnderWay] = useState(0);
  /** A failure leaves the shown settings, and is said where it moves none of them. */
  const run = async (work: Promise<PushState | null>): Promise<void> => {
    setUnderWay((count) => count + 1);
    await showFailure(
      work.then((state) => {
        if (state !== null) setPush(state);
      }),
    );
    setDevice(deviceState(uid));
    setUnderWay((count) => count - 1);
  };
  const ask = (work: () => Promise<PushState | null>): void => {
    const newestOf = order.asked();
    void run(work().then((state) => state && newestOf(state)));
  };
  const change: ChangeSettings = (next) => {
    // Another user may have come while it waited.
    const isHere = (): boolean => session.user?.uid === uid;
    return run(
      order.change(next, {
        read: async () => {
          if (!isHere()) return null;
          const state = await readPush();
          // Shown also where the change then fails.
          setPush(state);
          return state;
        },
        write: async (settings) => (isHere() ? writePush(settings) : null),
      }),
    );
  };
  useEffect(() => {
    if (online === 'offline') return;
    let here = true;
    setError(null);
    const newestOf = order.asked();
    readPush().then(
      (state) => {
        if (here) setPush(newestOf(state));
      },
      (failure: unknown) => {
        if (here) setError(errorSentence(failure));
      },
    );
    return () => {
      here = false;
    };
  }, [uid, online, order]);

  return { device, push, error, busy: underWay > 0, ask, change, isOffline: online === 'offline' };
}
