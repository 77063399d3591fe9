/** Shows the toasts of the registry through Sonner. The registry alone keeps their time. */
import 'sonner/dist/styles.css';
import { useEffect, useRef } from 'react';
import { toast as sonner, Toaster } from 'sonner';
import { useSnapshot } from 'valtio';
import { useWide } from '../components/use-wide.ts';
import {
  dismissToast,
  pauseToasts,
  resumeToasts,
  showToasts,
  toastStore,
  type ToastType,
} from '../stores/toast-store.ts';
import { appearance } from './appearance.ts';

const SHOW: Record<ToastType, (message: string, options: Parameters<typeof sonner>[1]) => unknown> =
  {
    blank: sonner,
    custom: sonner,
    error: sonner.error,
    success: sonner.success,
    loading: sonner.loading,
  };

export function Toasts() {
  const { toasts } = useSnapshot(toastStore);
  const { theme } = useSnapshot(appearance);
  const shown = useRef(new Map<string, string>());
  // Four would cover the buttons at the top of a phone's screen.
  const seen = useWide() ? 4 : 2;

  useEffect(() => {
    showToasts(seen);
  }, [seen]);
  useEffect(() => {
    const present = new Set<string>();
    // The newest last, as Sonner puts each before the others.
    for (const { id, type, message, visible } of [...toasts].reverse()) {
      if (!visible) continue;
      present.add(id);
      const face = `${type}:${message}`;
      if (shown.current.get(id) === face) continue;
      shown.current.set(id, face);
      SHOW[type](message, {
        id,
        duration: Infinity,
        onDismiss: () => {
          dismissToast(id);
        },
      });
    }
    for (const id of [...shown.current.keys()]) {
      if (present.has(id)) continue;
      shown.current.delete(id);
      sonner.dismiss(id);
    }
  }, [toasts]);

  return (
    <div onPointerOver={pauseToasts} onPointerOut={resumeToasts}>
      <Toaster
        position="top-right"
        theme={theme}
        visibleToasts={seen}
        expand
        offset={{ top: 64, right: 16 }}
        mobileOffset={{ top: 60 }}
        toastOptions={{
          style: {
            background: 'var(--surface)',
            color: 'var(--ink)',
            borderColor: 'var(--line)',
            boxShadow: 'var(--shadow)',
          },
        }}
      />
    </div>
  );
}
