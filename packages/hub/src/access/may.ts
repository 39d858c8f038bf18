import type { RunId, UserId } from '@farhand/protocol/wire/ids'
import type { Principal } from './principal.ts'

/** A project, its tasks and its runs belong to one user. */
export function mayUseProject(who: Principal, project: { owner: UserId }): boolean {
  return who.kind === 'user' && who.user === project.owner
}

/** A runner may use only its own run. Whether its generation is still current is checked in the log. */
export function mayUseRun(who: Principal, run: { id: RunId; owner: UserId }): boolean {
  return who.kind === 'runner' ? who.run === run.id : who.user === run.owner
}
