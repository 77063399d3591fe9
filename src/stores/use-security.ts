/** Hooks for the security context of the signed-in user. */
import { useSnapshot } from 'valtio';
import {
  authContext,
  canAccess,
  securityContext,
  type Access,
  type AuthContext,
  type SecurityContext,
} from '../identity/security-context.ts';
import { session } from '../identity/session.ts';
import { connection } from './connection.ts';
import { subscriptionStore } from './subscription-store.ts';

export function useAuth(): AuthContext {
  return authContext(useSnapshot(session), useSnapshot(subscriptionStore));
}

export function useSecurity(): SecurityContext {
  const { online } = useSnapshot(connection);
  return securityContext(
    useSnapshot(session),
    useSnapshot(subscriptionStore),
    online === 'offline',
  );
}

/** What the guard shows for a path; `loading` while a spinner is due. */
export function useAccess(path: string): { loading: boolean; access: Access } {
  const context = useSecurity();
  return { loading: context.loading, access: canAccess(path, context) };
}
