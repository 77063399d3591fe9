/** A tier and a permission as they are written. Which tier has which is in `tiers.ts`. */
import * as z from 'zod/mini';

export const Tier = z.enum(['free', 'starter', 'standard', 'pro', 'pro-max', 'trial']);
export type Tier = z.infer<typeof Tier>;

export const Resource = z.enum([
  'dashboard',
  'market',
  'subscription',
  'analytics',
  'trading',
  'performance',
  'agents',
  'pro-features',
  'priority-support',
]);
export type Resource = z.infer<typeof Resource>;

export const Action = z.enum([
  'read',
  'view',
  'basic',
  'standard',
  'advanced',
  'unlimited',
  'create',
  'access',
]);
export type Action = z.infer<typeof Action>;

export const Permission = z.object({
  resource: Resource,
  action: Action,
  conditions: z.optional(z.object({ maxCount: z.optional(z.number()) })),
});
export type Permission = z.infer<typeof Permission>;
