import type { RunId, UserId } from '@farhand/protocol/wire/ids'
import type { Principal } from './principal.ts'

/** A project, its tasks and its runs belong to one user. */
export function mayUseProject(who: Principal, project: { owner: UserId }): boolean {
  return who.kind === 'user' && who.user === project.owner
}

/** A runner reaches its own run and nothing else; whether its generation still counts is decided by the log. */
export function mayUseRun(who: Principal, run: { id: RunId; owner: UserId }): boolean {
  return who.kind === 'runner' ? who.run === run.id : who.user === run.owner
}
