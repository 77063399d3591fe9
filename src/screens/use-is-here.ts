/** Whether a form is still on the page, for answers that come late. */
import { useEffect, useRef, type RefObject } from 'react';

export function useIsHere(): RefObject<boolean> {
  const isHere = useRef(true);
  useEffect(() => {
    isHere.current = true;
    return () => {
      isHere.current = false;
    };
  }, []);
  return isHere;
}
