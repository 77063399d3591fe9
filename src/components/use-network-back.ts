/** Does something when the browser says that the network is back. */
import { useEffect, useEffectEvent } from 'react';

export function useNetworkBack(onBack: () => void): void {
  const back = useEffectEvent(onBack);
  useEffect(() => {
    const heard = (): void => {
      back();
    };
    addEventListener('online', heard);
    return () => {
      removeEventListener('online', heard);
    };
  }, []);
}
