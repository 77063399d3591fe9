/** Changes of code that no test can notice, because nothing comes out differently, and why. */

export interface ExplainedChange {
  file: string;
  /** The line where the change begins, as it stands, without the space around it. */
  line: string;
  /** What stands there instead, as the tool writes it with its space collapsed. */
  replacements: readonly string[];
  why: string;
}

export const EXPLAINED_CHANGES: readonly ExplainedChange[] = [
  {
    file: 'contract/jwt.ts',
    line: "const [header = '', claims = '', signature = ''] = parts;",
    replacements: ['"Stryker was here!"'],
    why: 'The next line asks for three parts, so none of the three is ever missing.',
  },
  {
    file: 'contract/jwt.ts',
    line: '} catch {',
    replacements: ['{}'],
    why: 'A function that returns nothing returns undefined.',
  },
  {
    file: 'server/identity/token-verifier.ts',
    line: "await compactVerify(token, keys, { algorithms: ['RS256'] });",
    replacements: ['{}'],
    why: 'The algorithm was compared before a key was asked for; here it is said a second time.',
  },
  {
    file: 'server/identity/token-verifier.ts',
    line: 'if (oldest.done !== true) this.signed.delete(oldest.value);',
    replacements: ['true'],
    why: 'A map that is too full has an oldest entry.',
  },
  {
    file: 'contract/tiers.ts',
    line: "(p) => p.resource === 'agents' && p.action === 'create',",
    replacements: ["p.resource === 'agents' || p.action === 'create'", 'true'],
    why: 'In the table of permissions only agents are created, and nothing else is done with them.',
  },
  {
    file: 'contract/tiers.ts',
    line: 'return permission?.conditions?.maxCount ?? 0;',
    replacements: ['permission?.conditions.maxCount'],
    why: 'Each permission to create agents in the table has its condition.',
  },
  {
    file: 'src/billing/entitlement-view.ts',
    line: 'const end = endDate === null ? Number.NaN : Date.parse(endDate);',
    replacements: ['false'],
    why: 'No date is as unreadable as a wrong one.',
  },
];
