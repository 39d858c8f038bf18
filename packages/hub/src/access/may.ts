import type { RunId } from '@farhand/protocol/wire/ids'
import type { ProjectRole, Right } from '@farhand/protocol/wire/project-role'
import type { Principal } from './principal.ts'

/** `hidden`: for this caller it does not exist. `refused`: the caller may see it, and not do this. */
export type Decision = 'yes' | 'hidden' | 'refused'

const rights: Record<ProjectRole, readonly Right[]> = {
  owner: ['view', 'work', 'own'],
  member: ['view', 'work'],
  viewer: ['view'],
}

/** What a caller may do in a project and its tasks, with the caller's role there; null: none. */
export function mayInProject(who: Principal, role: ProjectRole | null, needs: Right): Decision {
  if (who.kind !== 'user' || role === null) return 'hidden'
  return rights[role].includes(needs) ? 'yes' : 'refused'
}

/**
 * As `mayInProject`, in a run. A runner may use only its own run; whether its generation is still current is checked in the log. A
 * guest may only view, and only the run of the link.
 */
export function mayInRun(
  who: Principal,
  run: { id: RunId },
  role: ProjectRole | null,
  needs: Right,
): Decision {
  switch (who.kind) {
    case 'runner':
      return who.run === run.id ? 'yes' : 'hidden'
    case 'guest':
      if (who.run !== run.id) return 'hidden'
      return needs === 'view' ? 'yes' : 'refused'
    case 'user':
      return mayInProject(who, role, needs)
  }
}
